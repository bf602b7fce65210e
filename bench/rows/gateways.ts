import { recordPages, requestsFor } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { type ArtistDocument, generateArtist } from '../catalogue/artists.ts';
import type { SeriesDocument } from '../catalogue/histories.ts';
import type { Keys } from '../catalogue/keys.ts';
import { openDatabase } from '../mongodb/database.ts';
import type { Settings } from '../process/gateway.ts';

/** So many pages are asked for in rotation, so that no single one stays in the processor's cache. */
export const pagesInRotation = 40;

/** The variant form has no cursor: filters make its pages differ. */
export const variantPages = ['watch', 'on-the-rise', 'breaking', 'established'].flatMap((tier) =>
  ['', '&signed=true', '&signed=false'].map((signed) => `/api/v1/artists?limit=50&tier=${tier}${signed}`),
);

/** A gateway that is asked for pages of fifty in the current form, and its answers. */
export const startPaged = async (bench: Bench, settings?: Settings, core?: number) => {
  const { url, port, pid } = await bench.embedded(settings, { core });
  const recorded = await recordPages(url, bench.keys.current, { max: pagesInRotation });
  return { name: 'gateway', url, port, pid, recorded, requests: requestsFor(recorded, bench.keys.current) };
};

export type PagedGateway = Awaited<ReturnType<typeof startPaged>>;

/** Days of series from which spikes are told. */
export const recentDays = 40;

export interface Contents {
  readonly artists: number;
  readonly series?: (artist: ArtistDocument, index: number) => readonly SeriesDocument[];
  /** Instead of the usual artist at an index of the catalogue. */
  readonly artistAt?: (index: number) => ArtistDocument;
  /** Instead of the keys of the bench. */
  readonly keys?: Keys;
}

/** A database, and what it was filled with. */
export const fillDatabase = async (
  bench: Bench,
  { artists: count, series = () => [], artistAt = generateArtist, keys = bench.keys }: Contents,
) => {
  const artists = Array.from({ length: count }, (_, index) => artistAt(index));
  return { artists, database: await openDatabase({ artists, history: artists.flatMap(series), keys }) };
};

type Filled = Awaited<ReturnType<typeof fillDatabase>>;

/** Starts a gateway as it is deployed: it follows a database. Throws when not every artist arrives. */
export const follow = async (bench: Bench, filled: Filled, settings?: Settings) => {
  const gateway = await bench.gateway({ MONGODB_URL: filled.database.url, ...settings });
  const arrived = (await gateway.metrics()).get('gateway_source_items{source="catalogue"}');
  if (arrived !== filled.artists.length) throw new Error(`${arrived} of ${filled.artists.length} artists arrived`);
  return { ...filled, gateway };
};

export type Following = Awaited<ReturnType<typeof follow>>;

/** Fills a database and starts a gateway that follows it. */
export const startFollowing = async (bench: Bench, contents: Contents, settings?: Settings): Promise<Following> =>
  follow(bench, await fillDatabase(bench, contents), settings);
