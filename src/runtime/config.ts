import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import * as value from './config-values.ts';
import {
  describeVariables,
  isMisspelt,
  misspeltSettings,
  named,
  parseVariables,
} from './config-variables.ts';

/** The package's root folder, also when the compiled program runs from `dist/`. */
const packageFolder = dirname(createRequire(import.meta.url).resolve('#package.json'));

/** The gateway's version, from package.json. */
export const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))).version;

/**
 * The recorded exchanges that contracts take their examples from, the sources of `/docs`, and the
 * clients it shows parts of.
 */
export const exchangesFolder = join(packageFolder, 'fixtures', 'exchanges');
export const docsFolder = join(packageFolder, 'docs');
/** The programs that partners download, as `npm run generate` joins them. */
export const clientsFolder = join(docsFolder, 'generated', 'clients');

/** The demo catalogue, and the requests that `compare` sends to both forms. */
export const fixtureFolder = join(packageFolder, 'fixtures', 'catalogue');
export const casesFolder = join(packageFolder, 'fixtures', 'cases');

/** All settings and their variables; durations in milliseconds, instants in epoch milliseconds. */
const settings = z.object({
  mode: named('NODE_ENV', value.mode).optional(),
  host: named('HOST', value.host).default('127.0.0.1'),
  port: named('PORT', value.whole(0, 65_535)).default(3000),
  /** The listener of `/ready` and `/metrics`; port 0 turns it off. */
  operationsHost: named('OPERATIONS_HOST', value.host).default('127.0.0.1'),
  operationsPort: named('OPERATIONS_PORT', value.whole(0, 65_535)).default(9090),
  /** The address printed in the contracts and `/docs`; `undefined`: where the gateway listens. */
  publicUrl: named('PUBLIC_URL', value.publicUrl).optional(),
  /** The e-mail address or URL of partner support, printed in the contracts and `/docs`. */
  supportContact: named('SUPPORT_CONTACT', value.supportContact).optional(),
  /**
   * The address of a sandbox, whose demo keys `/docs` shows; `undefined`: this gateway if it has
   * demo keys, else none.
   */
  sandboxUrl: named('SANDBOX_URL', value.publicUrl).optional(),
  mongodbUrl: named('MONGODB_URL', value.mongodbUrl).optional(),
  redisUrl: named('REDIS_URL', value.redisUrl).optional(),
  /** The folder of the embedded catalogue; `undefined` for the demo catalogue. */
  catalogueFolder: named('CATALOGUE_DIR', value.folder).optional(),
  keysFolder: named('KEYS_DIR', value.folder).optional(),
  /** The folder of the last good copies of keys and catalogue; `undefined`: none are kept. */
  stateFolder: named('STATE_DIR', value.folder).optional(),
  catalogueRefreshMs: named('CATALOGUE_REFRESH_SECONDS', value.seconds).default(15_000),
  keysRefreshMs: named('KEYS_REFRESH_SECONDS', value.seconds).default(4_000),
  maxStalenessMs: named('MAX_STALENESS_SECONDS', value.seconds).default(900_000),
  keysMaxStalenessMs: named('KEYS_MAX_STALENESS_SECONDS', value.seconds).default(300_000),
  spikeFloor: named('SPIKE_FLOOR', value.positive).default(1000),
  spikeThresholdPercent: named('SPIKE_THRESHOLD_PERCENT', value.positive).default(20),
  /** Maximum time that a request waits for Redis or MongoDB. */
  storeTimeoutMs: named('STORE_TIMEOUT_MS', value.whole(10, 10_000)).default(250),
  fixedNow: named('FIXED_NOW', value.instant).optional(),
  logLevel: named('LOG_LEVEL', value.logLevel).default('info'),
  bodyCacheMb: named('BODY_CACHE_MB', value.whole(1, 65_536)).default(96),
  /** How long a connection without a request is kept. */
  keepAliveMs: named('KEEP_ALIVE_SECONDS', value.seconds).default(65_000),
  shutdownGraceMs: named('SHUTDOWN_GRACE_SECONDS', value.seconds).default(10_000),
  /** How often usage is written to the store. */
  usageFlushMs: named('USAGE_FLUSH_SECONDS', value.seconds).default(15_000),
});

type Settings = z.output<typeof settings>;

/**
 * Throws when `NODE_ENV` was meant to be `production`: without production's checks the example
 * catalogue would be served.
 */
const requireKnownMode = ({ mode }: Settings): void => {
  if (mode === undefined || mode === 'production') return;
  const lower = mode.toLowerCase();
  if (!/^(prod|prd|live)/.test(lower) && !isMisspelt(lower, 'production')) return;
  throw new Error(
    `NODE_ENV is ${JSON.stringify(mode)}: write NODE_ENV=production, or leave it out for the sandbox.`,
  );
};

/**
 * Production needs both stores and a running clock: files, in-process quotas and `FIXED_NOW` are
 * for development.
 */
const requireForProduction = ({ mode, mongodbUrl, redisUrl, fixedNow }: Settings): void => {
  if (mode !== 'production') return;
  const missing = (name: string) =>
    new Error(`${name} is not set: it is required with NODE_ENV=production.`);
  if (mongodbUrl === undefined) throw missing('MONGODB_URL');
  if (redisUrl === undefined) throw missing('REDIS_URL');
  if (fixedNow !== undefined)
    throw new Error('FIXED_NOW is set: it is refused with NODE_ENV=production.');
};

/** What of a gateway is not kept in a store, in one line; `undefined` for one with both stores. */
const describeSandbox = ({
  mongodbUrl,
  redisUrl,
  catalogueFolder,
}: Settings): string | undefined => {
  const files =
    catalogueFolder === undefined ? 'the example catalogue' : `the files in ${catalogueFolder}`;
  const parts = [
    ...(mongodbUrl === undefined ? [`serves ${files} (set MONGODB_URL)`] : []),
    ...(redisUrl === undefined ? ['counts quotas in this process (set REDIS_URL)'] : []),
  ];
  return parts.length === 0 ? undefined : `Sandbox, not for production: it ${parts.join(' and ')}.`;
};

const stateRemarks = ({ stateFolder, mongodbUrl }: Settings): string[] =>
  stateFolder === undefined || mongodbUrl !== undefined
    ? []
    : [
        'STATE_DIR is set without MONGODB_URL: files are read at every start, so no copy is kept of them.',
      ];

const spikesOf = ({
  spikeFloor,
  spikeThresholdPercent,
}: Pick<Settings, 'spikeFloor' | 'spikeThresholdPercent'>) => ({
  floor: spikeFloor,
  thresholdPercent: spikeThresholdPercent,
});

/**
 * Reads the configuration. Throws an `Error` with one line that names the variable, its value and
 * what is allowed.
 */
export const readConfig = (variables: NodeJS.ProcessEnv = process.env) => {
  const given = parseVariables(settings, variables);
  requireKnownMode(given);
  requireForProduction(given);
  return {
    ...given,
    spikes: spikesOf(given),
    /** Bytes that cached response bodies may hold. */
    bodyCacheBytes: Math.ceil(given.bodyCacheMb * 1024 * 1024),
    /**
     * Settings that have no effect, and variables with short names that may be misspelt, a line
     * each.
     */
    remarks: [
      ...misspeltSettings(settings, variables).map(({ problem }) => problem),
      ...stateRemarks(given),
    ],
    /** What makes this gateway a sandbox, in one line; `undefined` with both stores. */
    sandbox: describeSandbox(given),
  };
};

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Every variable of a gateway, with what is allowed in it. */
export const describeSettings = () => describeVariables(settings);

/** Reads the settings of the operator's commands. Throws as `readConfig` does. */
export const readStoreSettings = (variables: NodeJS.ProcessEnv = process.env) =>
  parseVariables(
    settings.pick({ mongodbUrl: true, redisUrl: true, fixedNow: true, keysRefreshMs: true }),
    variables,
  );

export type StoreSettings = Readonly<ReturnType<typeof readStoreSettings>>;

/** Reads the settings that spikes are found with. Throws as `readConfig` does. */
export const readSpikeSettings = (variables: NodeJS.ProcessEnv = process.env): Config['spikes'] =>
  spikesOf(
    parseVariables(settings.pick({ spikeFloor: true, spikeThresholdPercent: true }), variables),
  );

/** Whether `FORCE_COLOR` turns colours off, as its `0` does for Node. */
export const isColourOff = (variables: NodeJS.ProcessEnv = process.env): boolean =>
  ['0', 'false'].includes(variables['FORCE_COLOR'] ?? '');

/**
 * Reads the keys of a comparison with a running gateway: one of each form, or one that may override
 * its form.
 */
export const readCompareKeys = (variables: NodeJS.ProcessEnv = process.env) => ({
  // From the environment, because command lines are visible to other users.
  current: variables['CURRENT_KEY'] || undefined,
  variant: variables['VARIANT_KEY'] || undefined,
  override: variables['OVERRIDE_KEY'] || undefined,
});

export type CompareKeys = Readonly<ReturnType<typeof readCompareKeys>>;
