import { recordPages, requestsFor } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { tiers } from '../catalogue/words.ts';
import { type Contents, type Database, openDatabase } from '../mongodb/database.ts';
import type { Settings } from '../process/gateway.ts';

/** Pages in rotation, so that none stays in the processor's cache. */
export const pagesInRotation = 40;

/** The variant form has no cursor: filters make its pages differ. */
export const variantPages = tiers.flatMap((tier) =>
  ['', '&signed=true', '&signed=false'].map(
    (signed) => `/api/v1/artists?limit=50&tier=${tier}${signed}`,
  ),
);

/** A gateway, and its pages of fifty in the current form. */
export const startPaged = async (bench: Bench) => {
  const { url, port, pid } = await bench.filled();
  const recorded = await recordPages(url, bench.keys.current, { max: pagesInRotation });
  return {
    name: 'gateway',
    url,
    port,
    pid,
    recorded,
    requests: requestsFor(recorded, bench.keys.current),
  };
};

export type PagedGateway = Awaited<ReturnType<typeof startPaged>>;

/** Starts a gateway over a database. Throws if an artist is missing. */
export const startOverDatabase = async (
  bench: Bench,
  database: Database,
  settings?: Settings,
  folder?: string,
) => {
  const { artists, url } = database;
  const gateway = await bench.gateway({ MONGODB_URL: url, ...settings }, folder);
  const arrived = (await gateway.metrics()).get('gateway_source_items{source="catalogue"}');
  if (arrived !== artists.length)
    throw new Error(`${arrived} of ${artists.length} artists arrived`);
  return { artists, gateway };
};

export type FilledGateway = Awaited<ReturnType<typeof startOverDatabase>>;

/** Fills a database with keys and artists, and starts a gateway over it. */
export const startFilled = async (
  bench: Bench,
  contents: Contents,
  settings?: Settings,
): Promise<FilledGateway> =>
  startOverDatabase(bench, await openDatabase(bench.keys, contents), settings);
