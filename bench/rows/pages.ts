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

/** A gateway over the generated catalogue, asked for pages of fifty in the current form. */
export const startPaged = async (
  bench: Bench,
  settings: Readonly<Record<string, string>> = {},
): Promise<PagedGateway> => {
  const catalogue = await bench.catalogue({ artists: artistsIn(bench), histories: 0 });
  const { url, port, pid } = await bench.gateway({ CATALOGUE_DIR: catalogue, KEYS_DIR: catalogue, ...settings });
  const recorded = await recordPages(url, bench.keys.current, pages);
  return { name: 'gateway', url, port, pid, recorded, requests: requestsFor(recorded, bench.keys.current) };
};
