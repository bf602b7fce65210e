import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import leven from 'leven';
import { z } from 'zod';
import { unknownKeyForms } from '../domain/caller.ts';
import { packageFolder } from './package-folder.ts';

/** The gateway's version, from package.json. */
export const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))).version;

/**
 * An invalid setting, or settings that conflict (decisions, "Settings"). The message is one line
 * that names the variables and never contains a password.
 */
export class SettingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SettingError';
  }
}

const matching = (pattern: RegExp) => z.string().regex(pattern);

/** A number that matches a pattern, in a range, in other units. */
const numeric = (pattern: RegExp, min: number, max = Number.POSITIVE_INFINITY, factor = 1) =>
  matching(pattern)
    .transform((text) => Number(text) * factor)
    .pipe(z.number().min(min).max(max));

/**
 * A setting: its variable, its meaning for operators, and the values that it allows. A `secret` may
 * contain a password: messages never repeat it, and a file may contain it (`NAME_FILE`).
 */
const setting = <Schema extends z.ZodType>(
  variable: string,
  meaning: string,
  allowed: string,
  schema: Schema,
  { secret = false } = {},
): Schema => schema.meta({ variable, meaning, allowed, secret });

const hostSetting = (variable: string, meaning: string) =>
  setting(variable, meaning, 'a host name or address', matching(/^[^\s/@]+$/));

const wholeSetting = (variable: string, meaning: string, min: number, max: number) =>
  setting(
    variable,
    meaning,
    `a whole number from ${min} to ${max}`,
    numeric(/^[0-9]{1,15}$/, min, max),
  );

const positiveSetting = (variable: string, meaning: string) =>
  setting(variable, meaning, 'a number, 0 or more', numeric(/^[0-9]{1,15}(\.[0-9]{1,6})?$/, 0));

/** A setting in seconds in the environment, in milliseconds in the configuration. */
const secondsSetting = (variable: string, meaning: string) =>
  setting(
    variable,
    meaning,
    'a number of seconds from 0.01 to 999999',
    numeric(/^[0-9]{1,6}(\.[0-9]{1,3})?$/, 10, 999_999_000, 1000).transform(Math.round),
  );

/** A path. Logs show it, so it must not be a URL, which may contain a password. */
const path = /^(?!.*(:\/\/|:[^@:]*@))/s;

const folderSetting = (variable: string, meaning: string) =>
  setting(variable, meaning, 'a folder', matching(path));

/** True if the URL has a valid DNS host name and a valid port. */
const isReachable = (text: string): boolean => {
  try {
    const { hostname, port } = new URL(text);
    return port !== '0' && !/^\.|\.\.|[^.]{64}/.test(hostname);
  } catch {
    return false; // an optimised `URL.canParse` of Node 20 and 22 refuses valid URLs beyond ASCII
  }
};

/**
 * An encoded URL (`xn--…`, `%C3%BC`) without final slashes. It has no credentials and no shell
 * characters, because partners paste it.
 */
const addressSetting = (variable: string, meaning: string) =>
  setting(
    variable,
    meaning,
    'an http:// or https:// address without a query, like https://api.example.com',
    matching(/^https?:\/\/[\p{L}\p{N}.:[\]_-]+(\/[\p{L}\p{N}.:/~%_-]*)?$/u)
      .refine(isReachable)
      .transform((text) => new URL(text).href.replace(/(?<!\/)\/+$/, '')),
  );

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** All settings and their variables: durations in milliseconds, times in epoch milliseconds. */
const settings = z.object({
  mode: setting(
    'NODE_ENV',
    'requires both stores and refuses FIXED_NOW; without it the gateway may be a sandbox',
    'production',
    z.string(),
  ).optional(),
  host: hostSetting('HOST', 'address of the port for partners').default('127.0.0.1'),
  port: wholeSetting('PORT', 'port for partners', 0, 65_535).default(3000),
  operationsHost: hostSetting('OPERATIONS_HOST', 'address of /live, /ready and /metrics').default(
    '127.0.0.1',
  ),
  operationsPort: wholeSetting(
    'OPERATIONS_PORT',
    'port of /live, /ready and /metrics; 0 turns them off',
    0,
    65_535,
  ).default(9090),
  /** Without the final `/`. Links begin with its path. */
  publicUrl: addressSetting(
    'PUBLIC_URL',
    'URL that partners use, for /docs, contracts and Link headers; without it, the listening address',
  ).optional(),
  supportContact: setting(
    'SUPPORT_CONTACT',
    'contact for partners, shown in /docs and the contracts',
    'an e-mail address or an http:// or https:// address',
    matching(/^([^\s@<>"':/]+@[^\s@<>"'/]+|https?:\/\/[^\s"'<>/?#@]+([/?#][^\s"'<>]*)?)$/).refine(
      (text) => !/^https?:/.test(text) || isReachable(text),
    ),
  ).optional(),
  sandboxUrl: addressSetting(
    'SANDBOX_URL',
    'gateway without stores whose demo keys /docs shows; without it, this one if it serves demo keys',
  ).optional(),
  unknownKeyForm: setting(
    'UNKNOWN_KEY_FORM',
    'form of requests without a key or with an unknown key',
    unknownKeyForms.join(' or '),
    z.enum(unknownKeyForms),
  ).default(unknownKeyForms[0]),
  /** The stores check which URLs they can open. */
  mongodbUrl: setting(
    'MONGODB_URL',
    'artists, keys and usage; without it, files',
    'a mongodb:// URL with the database in its path',
    z.string(),
    { secret: true },
  ).optional(),
  redisUrl: setting(
    'REDIS_URL',
    'quota counts; without it, they are counted in the process',
    'a redis://, rediss://, redis+sentinel:// or rediss+sentinel:// URL, or several nodes of a cluster',
    z.string(),
    { secret: true },
  ).optional(),
  redisUsername: setting(
    'REDIS_USERNAME',
    'the user of a REDIS_URL without one',
    'a name, not percent-encoded',
    z.string(),
  ).optional(),
  redisPassword: setting(
    'REDIS_PASSWORD',
    'the password of a REDIS_URL without one',
    'a password, not percent-encoded',
    z.string(),
    { secret: true },
  ).optional(),
  catalogueFolder: folderSetting(
    'CATALOGUE_DIR',
    'without MONGODB_URL: artists, history and labels as files; without it, the example catalogue',
  ).optional(),
  keysFolder: folderSetting(
    'KEYS_DIR',
    'without MONGODB_URL: api_keys and organizations as files; without it, CATALOGUE_DIR',
  ).optional(),
  stateFolder: folderSetting(
    'STATE_DIR',
    'with MONGODB_URL: copies of keys and artists for a restart; one folder per gateway',
  ).optional(),
  catalogueRefreshMs: secondsSetting(
    'CATALOGUE_REFRESH_SECONDS',
    'time between reloads of artists and labels, up to 10 % shorter at random',
  ).default(15_000),
  keysRefreshMs: secondsSetting(
    'KEYS_REFRESH_SECONDS',
    'time between reloads of keys and organizations, up to 10 % shorter at random',
  ).default(4_000),
  maxStalenessMs: secondsSetting(
    'MAX_STALENESS_SECONDS',
    'how long old artists are served while reloads fail; at least twice their interval',
  ).default(900_000),
  keysMaxStalenessMs: secondsSetting(
    'KEYS_MAX_STALENESS_SECONDS',
    'how long old keys are accepted while reloads fail; at least twice their interval',
  ).default(300_000),
  spikeFloor: positiveSetting('SPIKE_FLOOR', 'lowest previous value of a spike').default(1000),
  spikeThresholdPercent: positiveSetting(
    'SPIKE_THRESHOLD_PERCENT',
    'lowest growth of a spike, in percent',
  ).default(20),
  storeTimeoutMs: wholeSetting(
    'STORE_TIMEOUT_MS',
    'longest time in milliseconds that a request waits for Redis or MongoDB',
    10,
    10_000,
  ).default(250),
  fixedNow: setting(
    'FIXED_NOW',
    'the time that responses are computed for; quotas and usage use the clock',
    'an ISO 8601 instant, like 2026-08-22T12:00:00Z',
    z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  ).optional(),
  logLevel: setting(
    'LOG_LEVEL',
    'lowest level that is logged',
    logLevels.join(', '),
    z.enum(logLevels),
  ).default('info'),
  bodyCacheMb: wholeSetting(
    'BODY_CACHE_MB',
    'memory for cached response bodies, in MB',
    1,
    65_536,
  ).default(96),
  keepAliveMs: secondsSetting(
    'KEEP_ALIVE_SECONDS',
    'how long an idle connection is kept; longer than the load balancer keeps it',
  ).default(65_000),
  shutdownGraceMs: secondsSetting(
    'SHUTDOWN_GRACE_SECONDS',
    'how long requests may take to finish after a signal to stop',
  ).default(10_000),
  usageFlushMs: secondsSetting(
    'USAGE_FLUSH_SECONDS',
    'time between writes of usage to MongoDB',
  ).default(15_000),
});

type Settings = z.output<typeof settings>;

interface Variable {
  readonly name: string;
  readonly meaning: string;
  readonly allowed: string;
  readonly secret: boolean;
  /** In milliseconds for a variable in seconds. */
  readonly byDefault: unknown;
}

/** The variable of each setting, by the setting's name. */
const variablesOf = ({ shape }: z.ZodObject): ReadonlyMap<string, Variable> =>
  new Map(
    Object.entries(shape).map(([name, schema]) => {
      const inner =
        schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
          ? schema.unwrap()
          : schema;
      // Seam: `unwrap` returns zod's core type of the same schema.
      const { variable, meaning, allowed, secret } = z.globalRegistry.get(inner as z.ZodType) ?? {};
      const byDefault = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
      return [
        name,
        {
          name: String(variable),
          meaning: String(meaning),
          allowed: String(allowed),
          byDefault,
          secret: secret === true,
        },
      ];
    }),
  );

/** The variable with the path of the file that contains a secret. */
const fileOf = ({ name }: Variable): string => `${name}_FILE`;

/** A variable of a gateway, as `serve --help` and docs/reference/settings.md describe it. */
export interface SettingDescription {
  readonly name: string;
  readonly meaning: string;
  readonly allowed: string;
  readonly byDefault?: string;
}

export const describeSettings = (): readonly SettingDescription[] =>
  [...variablesOf(settings).values()].flatMap((variable): SettingDescription[] => {
    const { name, meaning, allowed, byDefault, secret } = variable;
    const inUnits = name.endsWith('_SECONDS') ? Number(byDefault) / 1000 : byDefault;
    const described = { name, meaning, allowed };
    const file = { name: fileOf(variable), meaning: `file with ${name}`, allowed: 'a path' };
    return [
      byDefault === undefined ? described : { ...described, byDefault: String(inUnits) },
      ...(secret ? [file] : []),
    ];
  });

/** Names that other programs use for our settings. */
const otherNames: Readonly<Record<string, string>> = {
  MONGO_URI: 'MONGODB_URL',
  MONGO_URL: 'MONGODB_URL',
  CATALOG_DIR: 'CATALOGUE_DIR',
  CATALOG_REFRESH_SECONDS: 'CATALOGUE_REFRESH_SECONDS',
};

/**
 * Maximum length of names that are not checked: other programs have variables similar to `HOST`.
 */
const maxShortLength = 4;

const sortedLetters = (text: string): string => [...text].sort().join('');

/** True if the text has one letter changed, added, missing or swapped with the next. */
const isMisspelt = (text: string, meant: string): boolean => {
  const distance = leven(text, meant, { maxDistance: 3 });
  return distance === 1 || (distance === 2 && sortedLetters(text) === sortedLetters(meant));
};

/**
 * Describes the first variable whose name is nearly a setting, or another usual name, if that
 * setting is not set; `undefined` without one.
 */
const describeMisspelt = (
  schema: z.ZodObject,
  variables: NodeJS.ProcessEnv,
): string | undefined => {
  const known = [...variablesOf(schema).values()].flatMap((variable) =>
    variable.secret ? [variable.name, fileOf(variable)] : [variable.name],
  );
  for (const name of Object.keys(variables)) {
    const upper = name.toUpperCase();
    const meant =
      otherNames[upper] ?? known.find((each) => each === upper || isMisspelt(upper, each));
    if (meant === undefined || meant.length <= maxShortLength || known.includes(name)) continue;
    if (variables[name] && !variables[meant])
      return `${name} is set, but the setting is ${meant}: rename or remove it.`;
  }
  return undefined;
};

/**
 * Longer than any URL, in bytes. A larger file belongs to another program and is not read
 * completely.
 */
const maxFileBytes = 65_536;

/** Reads a file with a secret, without its final line break. */
const readSecretFile = (file: string): string => {
  const found = statSync(file);
  if (!found.isFile()) throw new Error('is not a regular file');
  if (found.size > maxFileBytes) throw new Error(`has more than ${maxFileBytes / 1024} KB`);
  const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (text === '') throw new Error('is empty');
  if (/[\r\n]/.test(text)) throw new Error('has more than one line');
  if (/^\ufeff|\ufffd/.test(text)) throw new Error('is not UTF-8 without a byte order mark');
  return text;
};

/** Why a file cannot be read, in words: Node's text would repeat the path. */
const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
};

/**
 * The value of a variable, or of the file in `NAME_FILE`. Throws if both are set, or if the file
 * cannot be read.
 */
const readVariable = (variable: Variable, variables: NodeJS.ProcessEnv): string | undefined => {
  const { name, secret } = variable;
  const value = variables[name] || undefined;
  const file = secret ? variables[fileOf(variable)] : undefined;
  if (!file) return value;
  if (value !== undefined)
    throw new SettingError(`${name} and ${fileOf(variable)} are both set: leave one of them out.`);
  if (!path.test(file))
    throw new SettingError(`${fileOf(variable)} is not usable: it must be the path of a file.`);
  try {
    return readSecretFile(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
    const problem =
      code === undefined
        ? String(Object(cause).message)
        : (fileProblems[code] ?? `cannot be read (${code})`);
    throw new SettingError(`${fileOf(variable)} is ${JSON.stringify(file)}: the file ${problem}.`, {
      cause,
    });
  }
};

/** A URL with credentials, even a malformed one, in any variable. */
const credentials = /:[^@:]*@/;

/**
 * Parses variables; an empty variable is not set. Throws a `SettingError` for the first misspelt or
 * invalid variable.
 */
const parseVariables = <Schema extends z.ZodObject>(
  schema: Schema,
  variables: NodeJS.ProcessEnv,
): z.output<Schema> => {
  const misspelt = describeMisspelt(schema, variables);
  if (misspelt !== undefined) throw new SettingError(misspelt);
  const known = variablesOf(schema);
  const texts = [...known].map(([name, variable]) => [name, readVariable(variable, variables)]);
  const result = schema.safeParse(Object.fromEntries(texts));
  if (result.success) return result.data;
  const { name, allowed, secret } = known.get(String(result.error.issues[0]?.path[0])) ?? {};
  const given = variables[String(name)] ?? '';
  const value = secret || credentials.test(given) ? 'not usable' : JSON.stringify(given);
  throw new SettingError(`${name} is ${value}: it must be ${allowed}.`);
};

/**
 * Throws if `NODE_ENV` is a misspelt `production`: without production's checks, the gateway would
 * serve the example catalogue. Ignores quotes and blanks, which `docker run --env-file` keeps.
 */
const requireKnownMode = ({ mode }: Settings): void => {
  if (mode === undefined || mode === 'production') return;
  const meant = mode.toLowerCase().replaceAll(/["'\s]/g, '');
  if (!/^(prod|prd|live)/.test(meant) && !isMisspelt(meant, 'production')) return;
  throw new SettingError(
    `NODE_ENV is ${JSON.stringify(mode)}: write NODE_ENV=production, or leave it out for the sandbox.`,
  );
};

/**
 * Throws if production lacks a store or has a fixed clock. Files, in-process quotas and `FIXED_NOW`
 * are for development.
 */
const requireForProduction = ({ mode, mongodbUrl, redisUrl, fixedNow }: Settings): void => {
  if (mode !== 'production') return;
  const missing = (name: string) =>
    new SettingError(`${name} is not set: it is required with NODE_ENV=production.`);
  if (mongodbUrl === undefined) throw missing('MONGODB_URL');
  if (redisUrl === undefined) throw missing('REDIS_URL');
  if (fixedNow !== undefined)
    throw new SettingError('FIXED_NOW is set: it is refused with NODE_ENV=production.');
};

/** Describes in one line what the gateway does not store; `undefined` with both stores. */
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

/** Pairs of settings that only work together: an interval, and how long a copy is served. */
const intervals = [
  ['catalogueRefreshMs', 'CATALOGUE_REFRESH_SECONDS', 'maxStalenessMs', 'MAX_STALENESS_SECONDS'],
  ['keysRefreshMs', 'KEYS_REFRESH_SECONDS', 'keysMaxStalenessMs', 'KEYS_MAX_STALENESS_SECONDS'],
] as const;

/** Rejects valid settings that cannot work together (decisions, "Settings"). */
const requireWorkable = (given: Settings): void => {
  for (const [interval, intervalName, staleness, stalenessName] of intervals) {
    if (2 * given[interval] <= given[staleness]) continue;
    const [every, atMost] = [given[interval] / 1000, given[staleness] / 1000];
    throw new SettingError(
      `${intervalName} is ${every} and ${stalenessName} is ${atMost}: the interval must be at most half of it, or healthy copies go stale.`,
    );
  }
  const { port, operationsPort } = given;
  if (port === operationsPort && port !== 0)
    throw new SettingError(`PORT and OPERATIONS_PORT are both ${port}: use two different ports.`);
};

/** A Redis URL with its own credentials. */
const redisUrlParts =
  /^(rediss?(?:\+sentinel)?:\/\/)(?:([^:@/?#]*)(:[^@/?#]*)?@)?([^@?#]*(?:\?.*)?)$/;

/**
 * Adds `REDIS_USERNAME` and `REDIS_PASSWORD` to a URL without credentials. Returns an unusable URL
 * unchanged: its store reports the error.
 */
const fillInCredentials = ({ redisUrl, redisUsername, redisPassword }: RedisSettings) => {
  const [, scheme, ownUser = '', ownPassword, rest] = redisUrlParts.exec(redisUrl ?? '') ?? [];
  if (scheme === undefined || (redisUsername ?? redisPassword) === undefined) return redisUrl;
  const user = ownUser || encodeURIComponent(redisUsername ?? '');
  const password = ownPassword?.slice(1) || encodeURIComponent(redisPassword ?? '');
  return `${scheme}${user}${password && `:${password}`}@${rest}`;
};

type RedisSettings = Pick<Settings, 'redisUrl' | 'redisUsername' | 'redisPassword'>;

/**
 * Settings that change responses: gateways with different values respond differently to the same
 * request.
 */
const responseSettingsOf = ({
  spikeFloor,
  spikeThresholdPercent,
  fixedNow,
  publicUrl,
  unknownKeyForm,
}: Settings) => ({
  SPIKE_FLOOR: String(spikeFloor),
  SPIKE_THRESHOLD_PERCENT: String(spikeThresholdPercent),
  FIXED_NOW: String(fixedNow ?? ''),
  PUBLIC_URL: publicUrl ?? '',
  UNKNOWN_KEY_FORM: unknownKeyForm,
});

const spikesOf = ({
  spikeFloor,
  spikeThresholdPercent,
}: Pick<Settings, 'spikeFloor' | 'spikeThresholdPercent'>) => ({
  floor: spikeFloor,
  thresholdPercent: spikeThresholdPercent,
});

/**
 * Reads the configuration. Throws a `SettingError` with one line: the variable, its value and the
 * allowed values.
 */
export const readConfig = (variables: NodeJS.ProcessEnv = process.env) => {
  const given = parseVariables(settings, variables);
  requireKnownMode(given);
  requireForProduction(given);
  requireWorkable(given);
  const { redisUsername: _user, redisPassword: _password, ...others } = given;
  return {
    ...others,
    redisUrl: fillInCredentials(given),
    spikes: spikesOf(given),
    /** Maximum bytes of cached response bodies. */
    bodyCacheBytes: given.bodyCacheMb * 1024 * 1024,
    /** The settings that change responses, by variable, as stored with usage. */
    responseSettings: responseSettingsOf(given),
    /** Why this gateway is a sandbox, in one line; `undefined` with both stores. */
    sandbox: describeSandbox(given),
  };
};

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Settings of the operator's commands: the stores, the time, and how soon gateways reload keys. */
const storeSettings = settings.pick({
  mongodbUrl: true,
  redisUrl: true,
  redisUsername: true,
  redisPassword: true,
  fixedNow: true,
  keysRefreshMs: true,
});

/** Reads the settings of the operator's commands. Throws as `readConfig` does. */
export const readStoreSettings = (variables: NodeJS.ProcessEnv = process.env) => {
  const given = parseVariables(storeSettings, variables);
  const { mongodbUrl, fixedNow, keysRefreshMs } = given;
  return { mongodbUrl, redisUrl: fillInCredentials(given), fixedNow, keysRefreshMs };
};

export type StoreSettings = Readonly<ReturnType<typeof readStoreSettings>>;

/** Reads the settings for spikes. Throws as `readConfig` does. */
export const readSpikeSettings = (): Config['spikes'] =>
  spikesOf(
    parseVariables(settings.pick({ spikeFloor: true, spikeThresholdPercent: true }), process.env),
  );

/** The user who called `sudo` to run this process; `undefined` without `sudo`. */
export const readSudoUser = (): string | undefined => process.env['SUDO_USER'] || undefined;

/**
 * Reads the keys of a comparison with a running gateway: a key of each form, or a key that may
 * override its form.
 */
export const readCompareKeys = () => ({
  // From the environment, because command lines are visible to other users.
  current: process.env['CURRENT_KEY'] || undefined,
  variant: process.env['VARIANT_KEY'] || undefined,
  override: process.env['OVERRIDE_KEY'] || undefined,
});

export type CompareKeys = Readonly<ReturnType<typeof readCompareKeys>>;
