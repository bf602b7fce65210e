import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { describeSandbox, formatMisspelt, requireKnownMode } from './config-names.ts';
import {
  folder,
  instantSetting,
  mongodbUrl,
  positive,
  publicUrl,
  redisUrl,
  seconds,
  share,
  supportContact,
  whole,
} from './config-values.ts';
import { misspelt, parseVariables } from './config-variables.ts';

/** The package's root folder, also when the compiled program runs from `dist/`. */
const packageFolder = fileURLToPath(new URL('.', import.meta.resolve('#package.json')));

/** The gateway's version, from package.json. */
export const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))).version;

/** The recorded exchanges that contracts take their examples from, the sources of `/docs`, and the clients it shows parts of. */
export const exchangesFolder = join(packageFolder, 'fixtures', 'exchanges');
export const docsFolder = join(packageFolder, 'docs');
export const examplesFolder = join(packageFolder, 'examples');

/** The demo catalogue, and the requests that `compare` sends to both forms. */
export const fixtureFolder = join(packageFolder, 'fixtures', 'catalogue');
export const casesFolder = join(packageFolder, 'fixtures', 'cases');

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const environment = z.object({
  NODE_ENV: z.string().optional(),
  HOST: z.string().meta({ allowed: 'a host name or address' }).default('127.0.0.1'),
  PORT: whole(0, 65_535).default(3000),
  OPERATIONS_HOST: z.string().meta({ allowed: 'a host name or address' }).default('127.0.0.1'),
  OPERATIONS_PORT: whole(0, 65_535).default(9090),
  PUBLIC_URL: publicUrl.optional(),
  SUPPORT_CONTACT: supportContact.optional(),
  MONGODB_URL: mongodbUrl.optional(),
  REDIS_URL: redisUrl.optional(),
  CATALOGUE_DIR: folder.optional(),
  KEYS_DIR: folder.optional(),
  STATE_DIR: folder.optional(),
  CATALOGUE_REFRESH_SECONDS: seconds.default(15_000),
  KEYS_REFRESH_SECONDS: seconds.default(4_000),
  MAX_STALENESS_SECONDS: seconds.default(900_000),
  KEYS_MAX_STALENESS_SECONDS: seconds.default(300_000),
  SPIKE_FLOOR: positive.default(1000),
  SPIKE_THRESHOLD_PERCENT: positive.default(20),
  STORE_TIMEOUT_MS: whole(10, 10_000).default(250),
  FIXED_NOW: instantSetting.optional(),
  LOG_LEVEL: z
    .enum(logLevels)
    .meta({ allowed: logLevels.join(', ') })
    .default('info'),
  BODY_CACHE_MB: whole(1, 65_536).default(96),
  SHUTDOWN_GRACE_SECONDS: seconds.default(10_000),
  USAGE_FLUSH_SECONDS: seconds.default(15_000),
  SHADOW_SHARE: share.default(0),
});

/** All settings; durations in milliseconds, instants in epoch milliseconds. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** The listener of `/ready` and `/metrics`; port 0 turns it off. */
  readonly operations: { readonly host: string; readonly port: number };
  /** The address printed in the contracts and `/docs`; `undefined`: where the gateway listens. */
  readonly publicUrl: string | undefined;
  /** The e-mail address or URL of partner support, printed in the contracts and `/docs`. */
  readonly supportContact: string | undefined;
  readonly mongodbUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** The folder of the embedded catalogue; `undefined` for the demo catalogue. */
  readonly catalogueFolder: string | undefined;
  readonly keysFolder: string | undefined;
  /** The folder of the last good copies of keys and catalogue; `undefined`: none are kept. */
  readonly stateFolder: string | undefined;
  readonly catalogueRefreshMs: number;
  readonly keysRefreshMs: number;
  readonly maxStalenessMs: number;
  readonly keysMaxStalenessMs: number;
  readonly spikes: { readonly floor: number; readonly thresholdPercent: number };
  /** Maximum time that a request waits for Redis or MongoDB. */
  readonly storeTimeoutMs: number;
  readonly fixedNow: number | undefined;
  /** Bytes that cached response bodies, and cached lists of spikes, may hold: together `BODY_CACHE_MB`. */
  readonly bodyCacheBytes: number;
  readonly spikeCacheBytes: number;
  readonly logLevel: (typeof logLevels)[number];
  readonly shutdownGraceMs: number;
  /** How often usage is written to the store. */
  readonly usageFlushMs: number;
  /** The share of answers that are compared with the other form after they were sent, 0 to 1. */
  readonly shadowShare: number;
  /** Settings that have no effect, and variables with short names that may be misspelt, a line each. */
  readonly remarks: readonly string[];
  /** What makes this gateway a sandbox, in one line; `undefined` with both stores. */
  readonly sandbox: string | undefined;
}

/** Production needs both stores and a running clock: files, in-process quotas and `FIXED_NOW` are for development. */
const requireForProduction = (env: z.output<typeof environment>): void => {
  if (env.NODE_ENV !== 'production') return;
  if (env.MONGODB_URL === undefined)
    throw new Error('MONGODB_URL is not set: it is required with NODE_ENV=production.');
  if (env.REDIS_URL === undefined) throw new Error('REDIS_URL is not set: it is required with NODE_ENV=production.');
  if (env.FIXED_NOW !== undefined) throw new Error('FIXED_NOW is set: it is refused with NODE_ENV=production.');
};

/** The settings of the operator's commands. */
export type StoreSettings = Pick<Config, 'mongodbUrl' | 'redisUrl' | 'fixedNow'>;

/** Reads the settings of the operator's commands. Throws as `readConfig` does. */
export const readStoreSettings = (variables: NodeJS.ProcessEnv = process.env): StoreSettings => {
  const schema = environment.pick({ MONGODB_URL: true, REDIS_URL: true, FIXED_NOW: true });
  const env = parseVariables(schema, variables);
  return { mongodbUrl: env.MONGODB_URL, redisUrl: env.REDIS_URL, fixedNow: env.FIXED_NOW };
};

const stateRemarks = ({ STATE_DIR, MONGODB_URL }: z.output<typeof environment>): string[] =>
  STATE_DIR === undefined || MONGODB_URL !== undefined
    ? []
    : ['STATE_DIR is set without MONGODB_URL: files are read at every start, so no copy is kept of them.'];

const spikesOf = (env: Pick<z.output<typeof environment>, 'SPIKE_FLOOR' | 'SPIKE_THRESHOLD_PERCENT'>) => ({
  floor: env.SPIKE_FLOOR,
  thresholdPercent: env.SPIKE_THRESHOLD_PERCENT,
});

/** Reads the settings that spikes are found with. Throws as `readConfig` does. */
export const readSpikeSettings = (variables: NodeJS.ProcessEnv = process.env): Config['spikes'] =>
  spikesOf(parseVariables(environment.pick({ SPIKE_FLOOR: true, SPIKE_THRESHOLD_PERCENT: true }), variables));

/** Keys for a comparison with a running gateway: one of each form, or one that may override its form. */
export interface CompareKeys {
  readonly current: string | undefined;
  readonly variant: string | undefined;
  readonly override: string | undefined;
}

/** Reads the keys of a comparison. They come from the environment because command lines are visible to other users. */
export const readCompareKeys = (variables: NodeJS.ProcessEnv = process.env): CompareKeys => ({
  current: variables['CURRENT_KEY'] || undefined,
  variant: variables['VARIANT_KEY'] || undefined,
  override: variables['OVERRIDE_KEY'] || undefined,
});

/** Reads the configuration. Throws an `Error` with one line that names the variable, its value and what is allowed. */
export const readConfig = (variables: NodeJS.ProcessEnv = process.env): Config => {
  const env = parseVariables(environment, variables);
  requireKnownMode(env.NODE_ENV);
  requireForProduction(env);
  const stores = { mongodbUrl: env.MONGODB_URL, redisUrl: env.REDIS_URL, catalogueFolder: env.CATALOGUE_DIR };
  return {
    ...stores,
    remarks: [...misspelt(environment, variables).map(formatMisspelt), ...stateRemarks(env)],
    sandbox: describeSandbox(stores),
    host: env.HOST,
    port: env.PORT,
    operations: { host: env.OPERATIONS_HOST, port: env.OPERATIONS_PORT },
    publicUrl: env.PUBLIC_URL,
    supportContact: env.SUPPORT_CONTACT,
    keysFolder: env.KEYS_DIR,
    stateFolder: env.STATE_DIR,
    catalogueRefreshMs: env.CATALOGUE_REFRESH_SECONDS,
    keysRefreshMs: env.KEYS_REFRESH_SECONDS,
    maxStalenessMs: env.MAX_STALENESS_SECONDS,
    keysMaxStalenessMs: env.KEYS_MAX_STALENESS_SECONDS,
    spikes: spikesOf(env),
    storeTimeoutMs: env.STORE_TIMEOUT_MS,
    fixedNow: env.FIXED_NOW,
    logLevel: env.LOG_LEVEL,
    bodyCacheBytes: Math.ceil((env.BODY_CACHE_MB * 1024 * 1024 * 11) / 12),
    spikeCacheBytes: Math.floor((env.BODY_CACHE_MB * 1024 * 1024) / 12),
    shutdownGraceMs: env.SHUTDOWN_GRACE_SECONDS,
    usageFlushMs: env.USAGE_FLUSH_SECONDS,
    shadowShare: env.SHADOW_SHARE,
  };
};
