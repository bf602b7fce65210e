import type { Clock } from '../../../src/ports.ts';
import { withStoreTimeout } from '../../../src/runtime/store-calls.ts';
import {
  explainFailure,
  type FailureRow,
  StoreError,
  type StoreFailure,
} from '../../../src/runtime/store-error.ts';
import { lateError } from './window.lua.ts';

/** The reason for a command without a connection. */
export const notConnected = 'not connected';

/** The reason for a command that Redis rejected because of its deadline. */
export const tooLate = 'the command reached it after its deadline';

const rows: readonly FailureRow[] = [
  [/Connection is closed\.|Stream isn't writeable/, notConnected, 'start it, or correct SETTING'],
  [
    /WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password/,
    'user or password refused',
    'correct the user and the password in SETTING',
  ],
  [/NOPERM/, undefined, 'grant its user the rights in docs/operating.md, "Redis"'],
  [/READONLY/, undefined, 'name the primary in SETTING, not a replica'],
  [/OOM /, undefined, 'give it more memory, or a server of its own'],
  [
    /max number of clients/,
    'its maximum number of clients is reached',
    'raise its maxclients, or close other clients',
  ],
  [
    /ended before it was ready/,
    'it ended the connection before it was ready',
    'look at its log; raise its maxclients if that is reached, or correct host, port and TLS in SETTING',
  ],
  [
    /LOADING|not ready yet/,
    'connected, but not ready yet',
    'wait if it is loading its data ("loading" in its INFO)',
  ],
  [/DB index/, undefined, 'name a database that it has: its number ends SETTING'],
  [
    new RegExp(lateError),
    tooLate,
    'look at its load and the network; "artist-gateway doctor" compares its clock',
  ],
  [
    /WRONGTYPE|QUOTACORRUPT/,
    undefined,
    'run "artist-gateway quota reset" for the organization or key; if no gateway is ready, delete quota:probe:readiness',
  ],
  [/MISCONF/, undefined, 'free its disk: it cannot write its snapshot'],
  [/NOREPLICAS/, undefined, 'start its replicas, or lower min-replicas-to-write'],
  [
    /unknown command/i,
    ({ message }) => message.replace(/,? with args.*/s, ''),
    'undo its rename-command; a Sentinel is named by redis+sentinel://HOST/NAME',
  ],
  [
    /CLUSTERDOWN|MOVED|ASK|cluster/i,
    undefined,
    'start the missing nodes; a Cluster is named by several hosts',
  ],
  [/Unknown RESP type 72/, 'it speaks HTTP', 'correct the port in SETTING'],
  [
    /Protocol error|Unknown RESP type/,
    'it does not speak the Redis protocol',
    'correct the port in SETTING, or write rediss:// if it speaks TLS',
  ],
  [/Sentinel/i, undefined, 'correct the Sentinels and the name of the primary in SETTING'],
];

/**
 * Why Redis failed, and how to fix it. Never log the driver's error objects: they contain command
 * arguments, such as AUTH's.
 */
export const explainRedisFailure = (thrown: unknown): StoreFailure =>
  // A Cluster's error only reports that no node replied; the last node's error has the reason.
  explainFailure(Object(thrown).lastNodeError ?? thrown, 'REDIS_URL', rows);

/** Creates the error of every rejection of the quota store. */
export const unavailableError = (thrown: unknown): StoreError => {
  if (thrown instanceof StoreError) return thrown;
  const { reason, remedy } = explainRedisFailure(thrown);
  return new StoreError(`Redis: ${reason}`, remedy);
};

/** `withStoreTimeout` until a deadline (milliseconds, `Clock.elapsed()`). */
export const withDeadline = <Result>(
  clock: Clock,
  deadline: number,
  work: Promise<Result>,
  late?: (result: Result) => void,
): Promise<Result> => withStoreTimeout(work, deadline - clock.elapsed(), 'Redis: no reply', late);
