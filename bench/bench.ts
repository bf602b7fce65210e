import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { generateOwnHistory } from './catalogue/histories.ts';
import { makeKeys } from './catalogue/keys.ts';
import { startGenerator } from './load/generate.ts';
import { openDatabase } from './mongodb/database.ts';
import type { Options } from './options.ts';
import { type Settings, startGateway } from './process/gateway.ts';
import { startRedis } from './process/redis.ts';

/** Node options for one core and 512 MiB, as in the guide for operators. */
export const containerOptions =
  '--max-old-space-size=384 --max-semi-space-size=16 --v8-pool-size=1';

/**
 * From the guide, too. A shared machine may stall for longer than the default of 250 ms, and a 503
 * would end a measurement.
 */
const usual = { MALLOC_ARENA_MAX: '1', STORE_TIMEOUT_MS: '5000' };

/** Neither catalogue nor keys are loaded again while requests are measured. */
const noReload = {
  CATALOGUE_REFRESH_SECONDS: '800',
  MAX_STALENESS_SECONDS: '1600',
  KEYS_REFRESH_SECONDS: '200',
  KEYS_MAX_STALENESS_SECONDS: '400',
};

/** Days of five series of an artist that are half a megabyte of JSON. */
const halfMegabyteDays = 2_600;

/** Starts what all rows share. `folder` is removed at the end of the run. */
export const openBench = async (options: Options, folder: string) => {
  const redis = await startRedis();
  const keys = makeKeys();
  const artists = options.quick ? 2_000 : 10_000;
  const database = await openDatabase(keys, {
    artists,
    series: (artist, index) => (index === 0 ? generateOwnHistory(artist, halfMegabyteDays) : []),
  });

  const gateway = (settings: Settings, folderOfPackage?: string) =>
    startGateway({
      settings: { ...usual, REDIS_URL: redis.url, NODE_OPTIONS: containerOptions, ...settings },
      key: keys.current,
      logFile: join(folder, `gateway-${randomUUID()}.log`),
      folder: folderOfPackage,
    });

  return {
    options,
    folder,
    redis,
    generator: startGenerator(),
    keys,
    /** Artists in a catalogue, and in a large one: five times as many. */
    artists,
    manyArtists: artists * 5,
    /** A gateway with quotas in Redis and these settings, on the servers' core. */
    gateway,
    /** The same over a generated catalogue. The first artist has half a megabyte of history. */
    filled: (folderOfPackage?: string) =>
      gateway({ ...noReload, MONGODB_URL: database.url }, folderOfPackage),
  };
};

export type Bench = Awaited<ReturnType<typeof openBench>>;
