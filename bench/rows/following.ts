import type { Bench } from '../bench.ts';
import { type ArtistDocument, generateArtists } from '../catalogue/artists.ts';
import { generateHistory, halfMegabyteDays, type SeriesDocument } from '../catalogue/histories.ts';
import { type Database, openDatabase } from '../mongodb/database.ts';
import type { Gateway } from '../process/gateway.ts';

export interface FilledOptions {
  readonly artists: number;
  /** How many of the first artists have half a megabyte of history. */
  readonly histories?: number;
  /** Series beside those. */
  readonly series?: (artist: ArtistDocument) => readonly SeriesDocument[];
}

/** A database and what it was filled with. */
export interface Filled {
  readonly database: Database;
  readonly artists: readonly ArtistDocument[];
}

/** A gateway as it is deployed: it follows a database. */
export interface Following extends Filled {
  readonly gateway: Gateway;
}

export type Settings = Readonly<Record<string, string>>;

export const fillDatabase = async (bench: Bench, options: FilledOptions): Promise<Filled> => {
  const artists = generateArtists(options.artists);
  const withHistory = artists.slice(0, options.histories ?? 0);
  const history = [
    ...withHistory.flatMap((artist) => generateHistory(artist, halfMegabyteDays)),
    ...artists.flatMap((artist) => options.series?.(artist) ?? []),
  ];
  return { artists, database: await openDatabase(bench.options.mongodb, { artists, history, keys: bench.keys }) };
};

/** Starts a gateway that follows a database. Throws when not every artist arrives. */
export const follow = async (bench: Bench, filled: Filled, settings: Settings = {}): Promise<Following> => {
  const gateway = await bench.gateway({ MONGODB_URL: filled.database.url, ...settings });
  const arrived = (await gateway.metrics()).get('gateway_source_items{source="catalogue"}');
  if (arrived !== filled.artists.length) throw new Error(`${arrived} of ${filled.artists.length} artists arrived`);
  return { ...filled, gateway };
};

/** Fills a database and starts a gateway that follows it. */
export const startFollowing = async (bench: Bench, options: FilledOptions, settings?: Settings): Promise<Following> =>
  follow(bench, await fillDatabase(bench, options), settings);
