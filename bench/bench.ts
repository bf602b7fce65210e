import { join } from 'node:path';
import { type Keys, makeKeys } from './catalogue/keys.ts';
import { type CatalogueSize, writeCatalogue } from './catalogue/write.ts';
import { type Generator, startGenerator } from './load/generate.ts';
import type { Options } from './options.ts';
import { type Gateway, root, startGateway } from './process/gateway.ts';
import { serverCore } from './process/pinning.ts';
import { type Redis, startRedis } from './process/redis.ts';

/** What every row finds there. */
export interface Bench {
  readonly options: Options;
  /** A folder of this run's own, gone when it ends. */
  readonly folder: string;
  readonly redis: Redis;
  readonly generator: Generator;
  readonly keys: Keys;
  /** A folder with a generated catalogue and the keys; written once. */
  catalogue(size: CatalogueSize): Promise<string>;
  /** A gateway with the keys, quotas in Redis and these settings, by default of this repository and on the servers' core. */
  gateway(settings: Readonly<Record<string, string>>, packageFolder?: string, core?: number): Promise<Gateway>;
}

/** A shared machine may stall for longer than the default of 250 ms; the 503 that follows would end a measurement. */
const longTimeout = { STORE_TIMEOUT_MS: '5000' };

/** Starts what all rows share. */
export const openBench = async (options: Options, folder: string): Promise<Bench> => {
  const redis = await startRedis();
  const keys = await makeKeys();
  const written = new Map<string, Promise<void>>();
  let gateways = 0;

  return {
    options,
    folder,
    redis,
    generator: startGenerator(),
    keys,

    async catalogue(size) {
      const catalogueFolder = join(folder, `catalogue-${size.artists}-${size.histories}`);
      const writing = written.get(catalogueFolder) ?? writeCatalogue(catalogueFolder, size, keys);
      written.set(catalogueFolder, writing);
      await writing;
      return catalogueFolder;
    },

    gateway(settings, packageFolder = root, core = serverCore) {
      gateways += 1;
      const logFile = join(folder, `gateway-${gateways}.log`);
      return startGateway({
        packageFolder,
        settings: { ...longTimeout, REDIS_URL: redis.url, ...settings },
        core,
        key: keys.current,
        logFile,
        profiles: options.profiles,
      });
    },
  };
};
