import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isMisspelt } from '../domain/nearest.ts';
import {
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
import { misspeltSettings, parseVariables } from './config-variables.ts';

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

const address = z.string().meta({ allowed: 'a host name or address' });
const folder = z.string().meta({ allowed: 'a folder' });

const environment = z.object({
  NODE_ENV: z.string().optional(),
  HOST: address.default('127.0.0.1'),
  PORT: whole(0, 65_535).default(3000),
  OPERATIONS_HOST: address.default('127.0.0.1'),
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

const uselessState = 'STATE_DIR is set without MONGODB_URL: files are read at every start, so no copy is kept of them.';

type Environment = z.output<typeof environment>;

/** Throws when `NODE_ENV` was meant to be `production`: without production's checks the example catalogue would be served. */
const requireKnownMode = (mode: string | undefined): void => {
  if (mode === undefined || mode === 'production') return;
  const lower = mode.toLowerCase();
  if (!/^(prod|prd|live)/.test(lower) && !isMisspelt(lower, 'production')) return;
  throw new Error(`NODE_ENV is ${JSON.stringify(mode)}: write NODE_ENV=production, or leave it out for the sandbox.`);
};

/** Production needs both stores and a running clock: files, in-process quotas and `FIXED_NOW` are for development. */
const requireForProduction = (env: Environment): void => {
  if (env.NODE_ENV !== 'production') return;
  for (const name of ['MONGODB_URL', 'REDIS_URL'] as const)
    if (env[name] === undefined) throw new Error(`${name} is not set: it is required with NODE_ENV=production.`);
  if (env.FIXED_NOW !== undefined) throw new Error('FIXED_NOW is set: it is refused with NODE_ENV=production.');
};

/** What of a gateway is not kept in a store, in one line; `undefined` for one with both stores. */
const describeSandbox = ({ MONGODB_URL, REDIS_URL, CATALOGUE_DIR }: Environment): string | undefined => {
  const files = CATALOGUE_DIR === undefined ? 'the example catalogue' : `the files in ${CATALOGUE_DIR}`;
  const parts = [
    ...(MONGODB_URL === undefined ? [`serves ${files} (set MONGODB_URL)`] : []),
    ...(REDIS_URL === undefined ? ['counts quotas in this process (set REDIS_URL)'] : []),
  ];
  return parts.length === 0 ? undefined : `Sandbox, not for production: it ${parts.join(' and ')}.`;
};

const storeSettingsOf = (env: Pick<Environment, 'MONGODB_URL' | 'REDIS_URL' | 'FIXED_NOW'>) => ({
  mongodbUrl: env.MONGODB_URL,
  redisUrl: env.REDIS_URL,
  fixedNow: env.FIXED_NOW,
});

const spikeSettingsOf = (env: Pick<Environment, 'SPIKE_FLOOR' | 'SPIKE_THRESHOLD_PERCENT'>) => ({
  floor: env.SPIKE_FLOOR,
  thresholdPercent: env.SPIKE_THRESHOLD_PERCENT,
});

const settingsOf = (env: Environment, misspelt: readonly string[]) => ({
  ...storeSettingsOf(env),
  spikes: spikeSettingsOf(env),
  host: env.HOST,
  port: env.PORT,
  /** The listener of `/ready` and `/metrics`; port 0 turns it off. */
  operations: { host: env.OPERATIONS_HOST, port: env.OPERATIONS_PORT },
  /** The address printed in the contracts and `/docs`; `undefined`: where the gateway listens. */
  publicUrl: env.PUBLIC_URL,
  /** The e-mail address or URL of partner support, printed in the contracts and `/docs`. */
  supportContact: env.SUPPORT_CONTACT,
  /** The folder of the embedded catalogue; `undefined` for the demo catalogue. */
  catalogueFolder: env.CATALOGUE_DIR,
  keysFolder: env.KEYS_DIR,
  /** The folder of the last good copies of keys and catalogue; `undefined`: none are kept. */
  stateFolder: env.STATE_DIR,
  catalogueRefreshMs: env.CATALOGUE_REFRESH_SECONDS,
  keysRefreshMs: env.KEYS_REFRESH_SECONDS,
  maxStalenessMs: env.MAX_STALENESS_SECONDS,
  keysMaxStalenessMs: env.KEYS_MAX_STALENESS_SECONDS,
  /** Maximum time that a request waits for Redis or MongoDB. */
  storeTimeoutMs: env.STORE_TIMEOUT_MS,
  /** Bytes that cached response bodies, and cached lists of spikes, may hold: together `BODY_CACHE_MB`. */
  bodyCacheBytes: Math.ceil((env.BODY_CACHE_MB * 1024 * 1024 * 11) / 12),
  spikeCacheBytes: Math.floor((env.BODY_CACHE_MB * 1024 * 1024) / 12),
  logLevel: env.LOG_LEVEL,
  shutdownGraceMs: env.SHUTDOWN_GRACE_SECONDS,
  /** How often usage is written to the store. */
  usageFlushMs: env.USAGE_FLUSH_SECONDS,
  /** The share of answers that are compared with the other form after they were sent, 0 to 1. */
  shadowShare: env.SHADOW_SHARE,
  /** Settings that have no effect, and variables with short names that may be misspelt, a line each. */
  remarks: env.STATE_DIR === undefined || env.MONGODB_URL !== undefined ? misspelt : [...misspelt, uselessState],
  /** What makes this gateway a sandbox, in one line; `undefined` with both stores. */
  sandbox: describeSandbox(env),
});

/** All settings; durations in milliseconds, instants in epoch milliseconds. */
export type Config = Readonly<ReturnType<typeof settingsOf>>;

/** Reads the configuration. Throws an `Error` with one line that names the variable, its value and what is allowed. */
export const readConfig = (variables: NodeJS.ProcessEnv = process.env): Config => {
  const env = parseVariables(environment, variables);
  requireKnownMode(env.NODE_ENV);
  requireForProduction(env);
  return settingsOf(
    env,
    misspeltSettings(environment, variables).map(({ problem }) => problem),
  );
};

/** The settings of the operator's commands. */
export type StoreSettings = Pick<Config, 'mongodbUrl' | 'redisUrl' | 'fixedNow'>;

/** Reads the settings of the operator's commands. Throws as `readConfig` does. */
export const readStoreSettings = (variables: NodeJS.ProcessEnv = process.env): StoreSettings =>
  storeSettingsOf(parseVariables(environment.pick({ MONGODB_URL: true, REDIS_URL: true, FIXED_NOW: true }), variables));

/** Reads the settings that spikes are found with. Throws as `readConfig` does. */
export const readSpikeSettings = (variables: NodeJS.ProcessEnv = process.env): Config['spikes'] =>
  spikeSettingsOf(parseVariables(environment.pick({ SPIKE_FLOOR: true, SPIKE_THRESHOLD_PERCENT: true }), variables));

/** Reads the keys of a comparison with a running gateway: one of each form, or one that may override its form. */
export const readCompareKeys = (variables: NodeJS.ProcessEnv = process.env) => ({
  // From the environment, because command lines are visible to other users.
  current: variables['CURRENT_KEY'] || undefined,
  variant: variables['VARIANT_KEY'] || undefined,
  override: variables['OVERRIDE_KEY'] || undefined,
});

export type CompareKeys = Readonly<ReturnType<typeof readCompareKeys>>;
