import { readHost, readStoreUrl, type UrlFault, unusableUrl } from '../store-url.ts';

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

const schemes = ['redis', 'rediss', 'redis+sentinel', 'rediss+sentinel'] as const;

const faults: readonly UrlFault[] = [
  [/\/\/[^@:]+:?@/, 'it has a user without a password: add it, or set REDIS_PASSWORD'],
  [/^rediss?:\/\/[^?]*\?/, 'it takes no options (rediss:// is for TLS)'],
  [
    /^rediss?:\/\/[^/]*\/(?![0-9]{0,4}$)/,
    'its path must be the number of a database, as in redis://HOST/3',
  ],
  [
    /^rediss?:\/\/[^/]*,[^/]*\/0*[1-9]/,
    'a Cluster, which is several hosts, has no numbered database',
  ],
  [
    /^rediss?\+sentinel:\/\/(?![^/?]*\/[^/?]+(\/[0-9]{0,4})?(\?|$))/,
    'its path must be the name of the primary, as in redis+sentinel://HOST/NAME or redis+sentinel://HOST/NAME/3',
  ],
  [
    /\?(?!(sentinel_username=[^&]+&)?sentinel_password=[^&]+(&sentinel_username=[^&]+)?$)/,
    'its options must be sentinel_password, or sentinel_username and sentinel_password, each with a value',
  ],
];

/** Parses `REDIS_URL`. Throws a `SettingError` with the cause on one line, without the password. */
export const readRedisUrl = (url: string): RedisAddress => {
  // In a list, the nodes after the first may repeat the scheme.
  const text = url.replaceAll(/,rediss?(\+sentinel)?:\/\//g, ',');
  const {
    scheme,
    credentials = '',
    hosts,
    path,
    query,
  } = readStoreUrl('REDIS_URL', text, schemes, faults);
  const [user = '', ...password] = credentials.split(':');
  const access = {
    username: decodeURIComponent(user) || undefined,
    password: decodeURIComponent(password.join(':')) || undefined,
    tls: scheme.startsWith('rediss'),
  };
  const nodesOn = (port: number): RedisNode[] =>
    hosts.flatMap((host) => readHost(host, port) ?? []);
  if (scheme.endsWith('+sentinel')) {
    const [name = '', database] = path.split('/');
    const options = new URLSearchParams(query?.replaceAll('+', '%2B'));
    return {
      ...access,
      kind: 'sentinel',
      sentinels: nodesOn(26_379),
      name: decodeURIComponent(name),
      db: Number(database ?? 0),
      sentinelUsername: options.get('sentinel_username') ?? undefined,
      sentinelPassword: options.get('sentinel_password') ?? undefined,
    };
  }
  const [node, ...others] = nodesOn(6_379);
  if (node === undefined) throw unusableUrl('REDIS_URL', 'it names no host');
  const db = Number(path);
  return others.length === 0
    ? { ...access, kind: 'single', node, db }
    : { ...access, kind: 'cluster', nodes: [node, ...others], db };
};
