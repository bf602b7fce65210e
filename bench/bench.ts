import { join } from 'node:path';
import { type Keys, makeKeys } from './catalogue/keys.ts';
import { type CatalogueSize, writeCatalogue } from './catalogue/write.ts';
import { type Generator, startGenerator } from './load/generate.ts';
import type { Options } from './options.ts';
import { type Gateway, root, startGateway } from './process/gateway.ts';
import { startRedis } from './process/redis.ts';

/** What every row finds there. */
export interface Bench {
  readonly options: Options;
  /** A folder of this run's own, gone when it ends. */
  readonly folder: string;
  readonly redisUrl: string;
  readonly generator: Generator;
  readonly keys: Keys;
  /** A folder with a generated catalogue and the keys; written once. */
  catalogue(size: CatalogueSize): Promise<string>;
  /** A gateway with the keys, quotas in Redis and these settings; `folder` is its package, by default this repository. */
  gateway(settings: Readonly<Record<string, string>>, folder?: string): Promise<Gateway>;
}

/**
 * A machine that is shared stands still now and then, longer than a request waits for a store by default; an answer that is
 * refused for that would end a measurement.
 */
const patient = { STORE_TIMEOUT_MS: '5000' };

/** Starts what all rows share. */
export const openBench = async (options: Options, folder: string): Promise<Bench> => {
  const redisUrl = await startRedis();
  const keys = await makeKeys();
  const written = new Map<string, Promise<void>>();
  let gateways = 0;

  return {
    options,
    folder,
    redisUrl,
    generator: startGenerator(),
    keys,

    async catalogue(size) {
      const place = join(folder, `catalogue-${size.artists}-${size.histories}`);
      const writing = written.get(place) ?? writeCatalogue(place, size, keys);
      written.set(place, writing);
      await writing;
      return place;
    },

    gateway(settings, folder = root) {
      gateways += 1;
      const logFile = join(folder, `gateway-${gateways}.log`);
      return startGateway({
        folder,
        settings: { ...patient, REDIS_URL: redisUrl, ...settings },
        logFile,
        profiles: options.profiles,
      });
    },
  };
};
