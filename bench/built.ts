import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of this checkout. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The modules of the built gateway that the bench uses, with the types of their sources: the bench names no other. */
interface Built {
  readonly 'adapters/forms/current/form.js': typeof import('../adapters/forms/current/form.ts');
  readonly 'adapters/stores/documents/catalogue-documents.js': typeof import('../adapters/stores/documents/catalogue-documents.ts');
  readonly 'src/catalogue/disclosure.js': typeof import('../src/catalogue/disclosure.ts');
  readonly 'src/catalogue/loader.js': typeof import('../src/catalogue/loader.ts');
  readonly 'src/catalogue/spikes.js': typeof import('../src/catalogue/spikes.ts');
  readonly 'src/keys/generate-key.js': typeof import('../src/keys/generate-key.ts');
}

/** Imports a module of the built gateway. */
export const importBuilt = async <Path extends keyof Built>(path: Path): Promise<Built[Path]> =>
  // The path decides which module it is; nothing at run time could check more.
  (await import(pathToFileURL(`${root}dist/${path}`).href)) as Built[Path];
