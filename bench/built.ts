import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Documents from '../adapters/stores/documents/catalogue-documents.ts';
import type * as Disclosure from '../src/catalogue/disclosure.ts';
import type * as CatalogueLoader from '../src/catalogue/loader.ts';
import type * as Spikes from '../src/catalogue/spikes.ts';
import type * as NewKey from '../src/keys/generate-key.ts';
import { root } from './process/gateway.ts';

/** What the bench takes of the gateway's code: types of the sources, and what `npm run build` made of them. */
interface Built {
  readonly 'adapters/stores/documents/catalogue-documents.js': typeof Documents;
  readonly 'src/catalogue/loader.js': typeof CatalogueLoader;
  readonly 'src/catalogue/disclosure.js': typeof Disclosure;
  readonly 'src/keys/generate-key.js': typeof NewKey;
  readonly 'src/catalogue/spikes.js': typeof Spikes;
}

/** A module of the built gateway: what is measured in this process is what is shipped. */
export const readBuilt = async <Path extends keyof Built>(path: Path, folder = root): Promise<Built[Path]> =>
  // The path says which module it is; nothing at run time could say more.
  (await import(pathToFileURL(join(folder, 'dist', path)).href)) as Built[Path];
