import { hostFault, readHost, readStoreUrl, unknownOption, unusableUrl } from '../store-url.ts';

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** Credentials and options that apply to every server of the URL. */
interface RedisAccess {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
  readonly db: number;
}

/**
 * The address of Redis: one server, the seed nodes of a cluster, or the Sentinels of the primary
 * set `name`.
 */
export type RedisAddress = RedisAccess &
  (
    | { readonly kind: 'single'; readonly node: RedisNode }
    | { readonly kind: 'cluster'; readonly nodes: readonly RedisNode[] }
    | {
        readonly kind: 'sentinel';
        readonly sentinels: readonly RedisNode[];
        readonly name: string;
        /** The credentials for the Sentinels themselves. */
        readonly sentinelUsername: string | undefined;
        readonly sentinelPassword: string | undefined;
      }
  );

const variable = 'REDIS_URL';

const schemes = ['redis', 'rediss', 'redis+sentinel', 'rediss+sentinel'] as const;

const refuse = (cause: string): never => {
  throw unusableUrl(variable, cause);
};

/** Decodes the name of a primary. */
const decodeName = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('the name of the primary has a "%" that must be written as %25');
  }
};

const readNode = (text: string, defaultPort: number): RedisNode =>
  readHost(text, defaultPort) ?? refuse(hostFault);

const readDatabase = (text: string | undefined): number => {
  if (text === undefined || text === '') return 0;
  if (!/^[0-9]{1,4}$/.test(text))
    refuse('the last part of its path must be the number of a database, as in redis://HOST/3');
  return Number(text);
};

const readSentinelAccess = (query: string) => {
  const members = new URLSearchParams(query.replaceAll('+', '%2B'));
  const known = ['sentinel_username', 'sentinel_password'];
  for (const [name, value] of members) {
    if (!known.includes(name)) refuse(unknownOption(name, `it may have ${known.join(' and ')}`));
    if (value === '') refuse(`its option "${name}" has no value`);
  }
  const [username, password] = known.map((name) => members.get(name) ?? undefined);
  if (username !== undefined && password === undefined)
    refuse('it has sentinel_username without sentinel_password');
  return { sentinelUsername: username, sentinelPassword: password };
};

const readCredentials = (credentials = '') => {
  const [user = '', ...rest] = credentials.split(':');
  const password = decodeURIComponent(rest.join(':'));
  if (user !== '' && password === '')
    refuse('it has a user without a password: add it, or set REDIS_PASSWORD');
  return { username: decodeURIComponent(user) || undefined, password: password || undefined };
};

/**
 * Parses `REDIS_URL`. Throws a `SettingError` with one line that says what is wrong, and never
 * repeats a password.
 */
export const readRedisUrl = (url: string): RedisAddress => {
  // In a list, the nodes after the first may repeat the scheme.
  const text = url.replaceAll(/,rediss?(\+sentinel)?:\/\//g, ',');
  const parts = readStoreUrl(variable, text, schemes, { mayHaveColons: true });
  const { scheme, credentials, hosts, path, query } = parts;
  const access = { ...readCredentials(credentials), tls: scheme.startsWith('rediss') };
  const list = hosts.split(',');
  if (scheme.endsWith('+sentinel')) {
    const [name = '', database, ...more] = (path ?? '').split('/');
    if (name === '')
      refuse('the name of the primary is missing in its path, as in redis+sentinel://HOST/NAME');
    if (more.length > 0) refuse('its path must be /NAME or /NAME/DATABASE');
    const sentinels = list.map((entry) => readNode(entry, 26_379));
    return {
      ...access,
      kind: 'sentinel',
      sentinels,
      name: decodeName(name),
      db: readDatabase(database),
      ...readSentinelAccess(query ?? ''),
    };
  }
  const [option] = new URLSearchParams(query).keys();
  if (query !== undefined)
    refuse(unknownOption(option, 'redis:// takes none, and rediss:// is for TLS'));
  const db = readDatabase(path);
  const [node, ...others] = list.map((entry) => readNode(entry, 6_379));
  if (node === undefined) return refuse(hostFault);
  if (others.length === 0) return { ...access, kind: 'single', node, db };
  if (db !== 0) refuse('a Cluster, which is several hosts, has no numbered database');
  return { ...access, kind: 'cluster', nodes: [node, ...others], db };
};
