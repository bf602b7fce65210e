import { Cluster, type CommonRedisOptions, Redis } from 'ioredis';
import { type RedisAddress, readRedisUrl } from './address.ts';

export type RedisClient = Redis | Cluster;

/** Milliseconds before the next attempt to connect: soon enough to notice a server that is back, spread over the gateways. */
const backoff = (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt - 1, 3), 400) + Math.random() * 50;

/** How long connecting, a command and silence may last, however the server is reached. */
const boundsFor = (timeoutMs: number) =>
  ({
    // A command waits for nothing: a server that is not there is an outage now, and a command that is sent again after a
    // lost connection may be counted twice.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: false,
    // Requests stop waiting at their own deadlines. This is longer, for the handshake and to learn what became of late ones.
    commandTimeout: Math.max(500, 2 * timeoutMs),
    connectTimeout: 500,
    socketTimeout: Math.max(1_000, 4 * timeoutMs),
    keepAlive: 5_000,
    enableReadyCheck: true,
    maxLoadingRetryTime: 500,
    protocol: 2, // nothing here needs version 3, and not every proxy speaks it
    disableClientInfo: true,
    connectionName: 'artist-gateway',
    // A primary that became a replica is found again by connecting anew.
    reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  }) satisfies CommonRedisOptions;

const openCluster = (
  { nodes, username, password, tls }: RedisAddress & { readonly kind: 'cluster' },
  bounds: ReturnType<typeof boundsFor>,
): Cluster =>
  new Cluster([...nodes], {
    enableOfflineQueue: false,
    clusterRetryStrategy: backoff,
    // A command whose connection broke may have been counted, so it is not sent again. (What a node refused with MOVED,
    // ASK, TRYAGAIN or CLUSTERDOWN was not, so it may; its deadline goes with it.)
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: 500,
    // A certificate is made out to a name, so with TLS the names are kept and not replaced by addresses.
    ...(tls && { dnsLookup: (host, callback) => callback(null, host) }),
    redisOptions: {
      ...bounds,
      disconnectTimeout: 200,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(tls && { tls: {} }),
    },
  });

/**
 * Opens a client for `REDIS_URL` and returns at once: it connects by itself, again and again, and commands fail until it is
 * there. `timeoutMs` is the longest a request waits for an answer. Throws when the URL is not usable.
 */
export const openRedis = (url: string, timeoutMs: number): RedisClient => {
  const address = readRedisUrl(url);
  const bounds = boundsFor(timeoutMs);
  if (address.kind === 'cluster') return openCluster(address, bounds);
  const { username, password, tls, db } = address;
  return new Redis({
    ...bounds,
    enableOfflineQueue: false,
    retryStrategy: backoff,
    disconnectTimeout: 200, // a frozen server does not end a connection, so it is cut
    db,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    ...(address.kind === 'single'
      ? address.node
      : {
          sentinels: address.sentinels.map(({ host, port }) => ({ host, port })),
          name: address.name,
          sentinelRetryStrategy: backoff,
          sentinelCommandTimeout: 500,
        }),
  });
};

/** The connections to the servers that count: one, or those to all primaries of a cluster. */
export const primariesOf = (client: RedisClient): readonly Redis[] =>
  client instanceof Cluster ? client.nodes('master') : [client];
