import { recordPages, requestsFor } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { tiers } from '../catalogue/words.ts';
import { type Contents, type Database, openDatabase } from '../mongodb/database.ts';
import type { Settings, Variation } from '../process/gateway.ts';

/** Pages that are asked for in rotation, so that none of them stays in the processor's cache. */
export const pagesInRotation = 40;

/** The variant form has no cursor: filters make its pages differ. */
export const variantPages = tiers.flatMap((tier) =>
  ['', '&signed=true', '&signed=false'].map(
    (signed) => `/api/v1/artists?limit=50&tier=${tier}${signed}`,
  ),
);

/** A gateway that is asked for pages of fifty in the current form, and its answers. */
export const startPaged = async (bench: Bench, settings?: Settings) => {
  const { url, port, pid } = await bench.filled({}, settings);
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

/**
 * Starts a gateway as it is deployed: it follows a database. Throws when not every artist arrives.
 */
export const follow = async (
  bench: Bench,
  database: Database,
  settings?: Settings,
  variation?: Variation,
) => {
  const { artists, url } = database;
  const gateway = await bench.gateway({ MONGODB_URL: url, ...settings }, variation);
  const arrived = (await gateway.metrics()).get('gateway_source_items{source="catalogue"}');
  if (arrived !== artists.length)
    throw new Error(`${arrived} of ${artists.length} artists arrived`);
  return { artists, database, gateway };
};

export type Following = Awaited<ReturnType<typeof follow>>;

/** Fills a database, with the keys of the bench, and starts a gateway that follows it. */
export const startFollowing = async (
  bench: Bench,
  contents: Contents,
  settings?: Settings,
): Promise<Following> => follow(bench, await openDatabase(bench.keys, contents), settings);
