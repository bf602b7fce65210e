import type { Bench } from '../bench.ts';
import { type ArtistDocument, generateArtists } from '../catalogue/artists.ts';
import { generateHistory, halfMegabyteDays, type SeriesDocument } from '../catalogue/histories.ts';
import { type Database, openDatabase } from '../mongodb/database.ts';
import type { Gateway } from '../process/gateway.ts';

/** A gateway as it is deployed: it follows a database. */
export interface Following {
  readonly gateway: Gateway;
  readonly database: Database;
  readonly artists: readonly ArtistDocument[];
}

export interface FollowingOptions {
  readonly artists: number;
  /** How many of the first artists have half a megabyte of history. */
  readonly histories?: number;
  /** Series beside those. */
  readonly series?: (artist: ArtistDocument) => readonly SeriesDocument[];
  readonly settings?: Readonly<Record<string, string>>;
}

/** Fills a database and starts a gateway that follows it. Throws when not every artist arrives. */
export const startFollowing = async (bench: Bench, options: FollowingOptions): Promise<Following> => {
  const artists = generateArtists(options.artists);
  const withHistory = artists.slice(0, options.histories ?? 0);
  const history = [
    ...withHistory.flatMap((artist) => generateHistory(artist, halfMegabyteDays)),
    ...artists.flatMap((artist) => options.series?.(artist) ?? []),
  ];
  const database = await openDatabase(bench.options.mongodb, { artists, history, keys: bench.keys });
  const gateway = await bench.gateway({ MONGODB_URL: database.url, ...options.settings });
  const arrived = (await gateway.metrics()).get('gateway_source_items{source="catalogue"}');
  if (arrived !== artists.length) throw new Error(`${arrived} of ${artists.length} artists arrived`);
  return { gateway, database, artists };
};
