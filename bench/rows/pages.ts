import { type Recorded, recordPages, requestsFor } from '../answers.ts';
import type { Bench } from '../bench.ts';
import type { Subject } from '../load/compare.ts';

/** So many pages are asked for in rotation, so that no single one stays in the processor's cache. */
const pages = 40;

export interface PagedGateway extends Subject {
  readonly url: string;
  readonly recorded: readonly Recorded[];
}

/** Artists in the catalogue that pages are asked of. */
export const artistsIn = ({ options }: Bench): number => (options.quick ? 2_000 : 10_000);

/** Artists in a large catalogue: five times as many. */
export const manyArtistsIn = ({ options }: Bench): number => (options.quick ? 10_000 : 50_000);

/** The variant form has no cursor: filters make its pages differ. */
export const variantPages = ['watch', 'on-the-rise', 'breaking', 'established'].flatMap((tier) =>
  ['', '&signed=true', '&signed=false'].map((signed) => `/api/v1/artists?limit=50&tier=${tier}${signed}`),
);

/** A gateway over the generated catalogue, asked for pages of fifty in the current form. */
export const startPaged = async (
  bench: Bench,
  settings: Readonly<Record<string, string>> = {},
  packageFolder?: string,
  core?: number,
): Promise<PagedGateway> => {
  const catalogue = await bench.catalogue({ artists: artistsIn(bench), histories: 0 });
  const folders = { CATALOGUE_DIR: catalogue, KEYS_DIR: catalogue };
  const { url, port, pid } = await bench.gateway({ ...folders, ...settings }, packageFolder, core);
  const recorded = await recordPages(url, bench.keys.current, pages);
  return { name: 'gateway', url, port, pid, recorded, requests: requestsFor(recorded, bench.keys.current) };
};
