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

const allowed =
  'redis://[user:password@]host[:port][/database], rediss:// for TLS, redis://host:port,host:port for a cluster, ' +
  'or redis+sentinel://[user:password@]host[:port],host[:port]/name[/database][?sentinel_password=…&sentinel_username=…], ' +
  'rediss+sentinel:// for TLS';

/** Never repeats the URL: it may hold a password. */
const unusable = (): Error => new Error(`REDIS_URL is not usable: it must be ${allowed}.`);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable();
  }
};

const readNode = (text: string, defaultPort: number): RedisNode => {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]@/]+))(?::([0-9]{1,5}))?$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? defaultPort);
  if (host === undefined || port < 1 || port > 65_535) throw unusable();
  return { host, port };
};

const readDatabase = (text: string | undefined): number => {
  if (text === undefined || text === '') return 0;
  if (!/^[0-9]{1,4}$/.test(text)) throw unusable();
  return Number(text);
};

/** Reads the credentials for the Sentinels from the query. */
const readSentinelAccess = (query: string) => {
  const members = new URLSearchParams(query.replaceAll('+', '%2B'));
  const known = ['sentinel_username', 'sentinel_password'];
  if (query !== '' && [...members].some(([name, value]) => !known.includes(name) || value === ''))
    throw unusable();
  const [username, password] = known.map((name) => members.get(name) ?? undefined);
  if (username !== undefined && password === undefined) throw unusable();
  return { sentinelUsername: username, sentinelPassword: password };
};

/** Parses `REDIS_URL`. Throws an `Error` with one line that says what is allowed. */
export const readRedisUrl = (url: string): RedisAddress => {
  // In a list, the nodes after the first may repeat the scheme.
  const text = url.trim().replace(/,rediss?(\+sentinel)?:\/\//g, ',');
  const match =
    /^(rediss?)(\+sentinel)?:\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text);
  if (match === null) throw unusable();
  const [, scheme, sentinel, credentials = '', hosts = '', path = '', query] = match;
  const [user = '', ...rest] = credentials.split(':');
  const password = decode(rest.join(':'));
  if (user !== '' && password === '') throw unusable();
  const access = {
    username: decode(user) || undefined,
    password: password || undefined,
    tls: scheme === 'rediss',
  };
  const list = hosts.split(',');
  if (sentinel !== undefined) {
    const [name = '', database, ...more] = path.split('/');
    if (name === '' || more.length > 0) throw unusable();
    const sentinels = list.map((entry) => readNode(entry, 26_379));
    return {
      ...access,
      kind: 'sentinel',
      sentinels,
      name: decode(name),
      db: readDatabase(database),
      ...readSentinelAccess(query ?? ''),
    };
  }
  if (query !== undefined) throw unusable();
  const db = readDatabase(path);
  const [node, ...others] = list.map((entry) => readNode(entry, 6_379));
  if (node === undefined) throw unusable();
  if (others.length === 0) return { ...access, kind: 'single', node, db };
  if (db !== 0) throw unusable(); // a cluster has only database 0
  return { ...access, kind: 'cluster', nodes: [node, ...others], db };
};
