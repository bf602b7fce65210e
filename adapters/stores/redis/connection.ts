import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './address.ts';

export type RedisClient = Redis | Cluster;

/**
 * Milliseconds before the next attempt to connect: 50 to 450, with jitter so that replicas do not
 * reconnect together.
 */
const backoff = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt - 1, 3), 400) + Math.random() * 50;

/** Options of every connection, for every kind of address: access and timeouts. */
const optionsFor = ({ username, password, tls }: RedisAddress, timeoutMs: number) =>
  ({
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    // Commands are neither queued nor retried: an unreachable server is an outage now, and a
    // command sent twice may be counted twice.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: false,
    // Requests stop waiting at their own deadlines. This timeout is longer: it also limits the
    // handshake, and late results are needed as long as the socket can deliver them.
    commandTimeout: Math.max(1_000, 4 * timeoutMs),
    connectTimeout: 500,
    socketTimeout: Math.max(1_000, 4 * timeoutMs),
    disconnectTimeout: 200, // a frozen server never closes the connection itself
    keepAlive: 5_000,
    enableReadyCheck: true,
    maxLoadingRetryTime: 500,
    protocol: 2, // version 3 is not needed, and some proxies lack it
    disableClientInfo: true,
    connectionName: 'artist-gateway',
    // After a failover the old primary replies READONLY; reconnecting finds the new one.
    reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  }) satisfies RedisOptions;

/**
 * Seam: before a command to a node that takes over a slot, ioredis calls `node.asking()` and drops
 * the promise. Its rejection (the node is down, or the user lacks `+asking`) would end the process.
 * The command itself also rejects, which is enough.
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
  { nodes, tls }: RedisAddress & { readonly kind: 'cluster' },
  redisOptions: ReturnType<typeof optionsFor>,
): Cluster => {
  const cluster = new Cluster([...nodes], {
    enableOfflineQueue: false,
    clusterRetryStrategy: backoff,
    // A command whose connection broke may have been counted, so it is not sent again. (MOVED, ASK
    // and CLUSTERDOWN mean not counted; the command is sent again with its deadline.)
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: 500,
    // TLS certificates are issued for host names, so with TLS do not replace names by addresses.
    ...(tls && { dnsLookup: (host, callback) => callback(null, host) }),
    redisOptions,
  });
  cluster.on('+node', handleAskingFailures);
  return cluster;
};

/**
 * Opens a client and returns immediately. It connects in the background and reconnects; commands
 * reject while it is disconnected. `timeoutMs` is the longest a request waits for a reply.
 */
export const openRedis = (address: RedisAddress, timeoutMs: number): RedisClient => {
  const options = optionsFor(address, timeoutMs);
  if (address.kind === 'cluster') return openCluster(address, options);
  const { tls, db } = address;
  const client = new Redis({
    ...options,
    enableOfflineQueue: false,
    retryStrategy: backoff,
    db,
    ...(address.kind === 'single'
      ? address.node
      : {
          sentinels: [...address.sentinels],
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
    // Seam: after a failed SELECT, ioredis continues and would count in database 0. Without the
    // connection it cannot.
    if (client.status === 'connect') client.disconnect(true);
  });
  return client;
};

/** The connections to the primaries: one, or one per shard of a cluster. */
export const primariesOf = (client: RedisClient): readonly Redis[] =>
  client instanceof Cluster ? client.nodes('master') : [client];

/** The values of a configuration parameter, one per primary. Rejects if a primary does. */
export const configOf = (client: RedisClient, name: string): Promise<readonly string[]> =>
  Promise.all(
    primariesOf(client).map(async (node) => {
      const reply: unknown = await node.config('GET', name);
      if (!Array.isArray(reply) || typeof reply[1] !== 'string')
        throw new Error('CONFIG GET returned no value');
      return reply[1];
    }),
  );
