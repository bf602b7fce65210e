import type { Clock } from '../../../src/ports.ts';
import { withStoreTimeout } from '../../../src/runtime/store-calls.ts';
import { describeFailure, remedyFor, StoreError } from '../../../src/runtime/store-error.ts';

/** The reason of a command that found no connection, in our words and the driver's. */
export const notConnected = 'not connected';
const unconnected = /^(Connection is closed\.|Stream isn't writeable)/;

/**
 * Why Redis failed, in words. The driver's error objects are never logged: they hold command
 * arguments, such as AUTH's.
 */
export const reasonOf = (thrown: unknown): string => {
  // A Cluster's error says only that no node answered; that of the last node says why.
  const cause =
    thrown instanceof Error && 'lastNodeError' in thrown ? thrown.lastNodeError : undefined;
  const reason = describeFailure(cause ?? thrown);
  return unconnected.test(reason) ? notConnected : reason;
};

/** What Redis and the script reply where a stored count is none. */
const corrupt = /WRONGTYPE|QUOTACORRUPT/;

/** What to do about the replies of a Redis that can be reached. */
const remedies: readonly (readonly [said: RegExp, remedy: string])[] = [
  [/^NOPERM/, 'grant its user the rights in docs/operating.md, "Redis"'],
  [/^READONLY/, 'name the primary in REDIS_URL, not a replica'],
  [/^OOM/, 'give it more memory, or a server of its own'],
  [/^ERR DB index/, 'name a database that it has: its number ends REDIS_URL'],
  [/^QUOTALATE/, 'synchronise the clocks of its nodes'],
  [
    corrupt,
    'run "artist-gateway quota reset" for the organization or key; if no gateway is ready, delete quota:probe:readiness',
  ],
  [/^MISCONF/, 'free its disk: it cannot write its snapshot'],
  [/^NOREPLICAS/, 'start its replicas, or lower min-replicas-to-write'],
  [/^LOADING/, 'wait until it has loaded its data'],
  [
    /^(CLUSTERDOWN|MOVED|ASK)|cluster/i,
    'start the missing nodes; a Cluster is named by several hosts',
  ],
  [/^Protocol error/, 'write rediss:// in REDIS_URL: it speaks TLS'],
  [/Sentinel/i, 'correct the Sentinels and the name of the primary in REDIS_URL'],
];

/**
 * What an operator does about a Redis that fails for this reason, as `reasonOf` words it, or about
 * the counts of this subject.
 */
export const redisRemedy = (reason: string, subject?: string): string => {
  if (subject !== undefined && corrupt.test(reason))
    return `run "artist-gateway quota reset ${subject}"`;
  return remedies.find(([said]) => said.test(reason))?.[1] ?? remedyFor(reason, 'REDIS_URL');
};

/** The error of every rejection of the quota store. */
export const unavailableError = (thrown: unknown): StoreError => {
  if (thrown instanceof StoreError) return thrown;
  const reason = reasonOf(thrown);
  return new StoreError(`Redis: ${reason}`, redisRemedy(reason));
};

/** `withStoreTimeout` until a deadline (milliseconds, `Clock.elapsed()`). */
export const withDeadline = <Result>(
  clock: Clock,
  deadline: number,
  work: Promise<Result>,
  late?: (result: Result) => void,
): Promise<Result> => withStoreTimeout(work, deadline - clock.elapsed(), 'Redis: no answer', late);
