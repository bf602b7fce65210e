import { Cluster, type CommonRedisOptions, Redis } from 'ioredis';
import type { RedisAddress } from './address.ts';

export type RedisClient = Redis | Cluster;

/**
 * Milliseconds before the next attempt to connect: 50 to 450, with jitter so that replicas do not
 * reconnect together.
 */
const backoff = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt - 1, 3), 400) + Math.random() * 50;

/** Timeouts of connecting, of commands and of idle sockets, for every kind of address. */
const boundsFor = (timeoutMs: number) =>
  ({
    // Commands are neither queued nor retried: an unreachable server is an outage now, and a
    // command that is sent again after a lost connection may be counted twice.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: false,
    // Requests stop waiting at their own deadlines. This is longer: it also bounds the handshake,
    // and late results are needed for as long as the socket may bring them.
    commandTimeout: Math.max(1_000, 4 * timeoutMs),
    connectTimeout: 500,
    socketTimeout: Math.max(1_000, 4 * timeoutMs),
    keepAlive: 5_000,
    enableReadyCheck: true,
    maxLoadingRetryTime: 500,
    protocol: 2, // the gateway needs nothing of version 3, which some proxies do not support
    disableClientInfo: true,
    connectionName: 'artist-gateway',
    // After a failover the old primary answers READONLY; reconnecting finds the new one.
    reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  }) satisfies CommonRedisOptions;

/**
 * Seam: before a command to a node that takes a slot over, ioredis calls `node.asking()` and drops
 * the promise, so a rejection (the node is frozen or gone, or the user lacks `+asking`) would end
 * the process. The command itself then rejects too, which is enough.
 */
const handleAskingFailures = (node: Redis): void => {
  const ask = node.asking.bind(node);
  node.asking = () => {
    const asked = ask();
    asked.catch(() => {});
    return asked;
  };
};

const openCluster = (
  { nodes, username, password, tls }: RedisAddress & { readonly kind: 'cluster' },
  bounds: ReturnType<typeof boundsFor>,
): Cluster => {
  const cluster = new Cluster([...nodes], {
    enableOfflineQueue: false,
    clusterRetryStrategy: backoff,
    // A command whose connection broke may have been counted, so it is not sent again. (MOVED, ASK
    // and CLUSTERDOWN mean that it was not counted; such a command is sent again with its
    // deadline.)
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: 500,
    // TLS certificates are issued for host names, so with TLS names are not replaced by addresses.
    ...(tls && { dnsLookup: (host, callback) => callback(null, host) }),
    redisOptions: {
      ...bounds,
      disconnectTimeout: 200,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(tls && { tls: {} }),
    },
  });
  cluster.on('+node', handleAskingFailures);
  return cluster;
};

/**
 * Opens a client and returns immediately. It connects in the background and reconnects; commands
 * reject while it is not connected. `timeoutMs` is the longest a request waits for a reply.
 */
export const openRedis = (address: RedisAddress, timeoutMs: number): RedisClient => {
  const bounds = boundsFor(timeoutMs);
  if (address.kind === 'cluster') return openCluster(address, bounds);
  const { username, password, tls, db } = address;
  const client = new Redis({
    ...bounds,
    enableOfflineQueue: false,
    retryStrategy: backoff,
    disconnectTimeout: 200, // a frozen server never closes the connection itself
    db,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    ...(address.kind === 'single'
      ? address.node
      : {
          sentinels: address.sentinels.map(({ host, port }) => ({ host, port })),
          name: address.name,
          ...(address.sentinelUsername !== undefined && {
            sentinelUsername: address.sentinelUsername,
          }),
          ...(address.sentinelPassword !== undefined && {
            sentinelPassword: address.sentinelPassword,
          }),
          ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
          sentinelRetryStrategy: backoff,
          sentinelCommandTimeout: 500,
        }),
  });
  client.on('error', () => {
    // Seam: after a refused SELECT ioredis goes on, and would count in database 0. Without the
    // connection it cannot.
    if (client.status === 'connect') client.disconnect(true);
  });
  return client;
};

/** The connections to the primaries: one, or one per shard of a cluster. */
export const primariesOf = (client: RedisClient): readonly Redis[] =>
  client instanceof Cluster ? client.nodes('master') : [client];

/** The values of a configuration parameter, one for each primary. Rejects when one refuses. */
export const configOf = (client: RedisClient, name: string): Promise<readonly string[]> =>
  Promise.all(
    primariesOf(client).map(async (node) => {
      const reply: unknown = await node.config('GET', name);
      if (!Array.isArray(reply) || typeof reply[1] !== 'string')
        throw new Error('CONFIG GET returned no value');
      return reply[1];
    }),
  );
