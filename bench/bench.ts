import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Keys, makeKeys } from './catalogue/keys.ts';
import { writeCatalogue } from './catalogue/write.ts';
import { type Generator, startGenerator } from './load/generate.ts';
import type { Options } from './options.ts';
import { type Gateway, type GatewayOptions, type Settings, startGateway } from './process/gateway.ts';
import { type Redis, startRedis } from './process/redis.ts';

/** What every row finds there. */
export interface Bench {
  readonly options: Options;
  /** A folder of this run's own, gone when it ends. */
  readonly folder: string;
  readonly redis: Redis;
  readonly generator: Generator;
  readonly keys: Keys;
  /** Artists in a catalogue, and in a large one: five times as many. */
  readonly artists: number;
  readonly manyArtists: number;
  /** A gateway with quotas in Redis and these settings, on the servers' core. */
  gateway(settings: Settings, options?: Pick<GatewayOptions, 'folder' | 'core'>): Promise<Gateway>;
  /** The same over files of a generated catalogue and the keys. The first artist has half a megabyte of history. */
  embedded(settings?: Settings, options?: Pick<GatewayOptions, 'folder' | 'core'>): Promise<Gateway>;
}

/** A shared machine may stall for longer than the default of 250 ms; the 503 that follows would end a measurement. */
const longTimeout = { STORE_TIMEOUT_MS: '5000' };

/** Starts what all rows share. */
export const openBench = async (options: Options, folder: string): Promise<Bench> => {
  const redis = await startRedis();
  const keys = await makeKeys();
  const artists = options.quick ? 2_000 : 10_000;
  const catalogue = join(folder, 'catalogue');
  let written: Promise<void> | undefined;

  const gateway: Bench['gateway'] = (settings, { folder: packageFolder, core } = {}) => {
    return startGateway({
      settings: { ...longTimeout, REDIS_URL: redis.url, ...settings },
      key: keys.current,
      logFile: join(folder, `gateway-${randomUUID()}.log`),
      profiles: options.profiles,
      folder: packageFolder,
      core,
    });
  };

  return {
    options,
    folder,
    redis,
    generator: startGenerator(),
    keys,
    artists,
    manyArtists: artists * 5,
    gateway,
    async embedded(settings, choice) {
      written ??= writeCatalogue(catalogue, artists, keys);
      await written;
      return gateway({ CATALOGUE_DIR: catalogue, KEYS_DIR: catalogue, ...settings }, choice);
    },
  };
};
