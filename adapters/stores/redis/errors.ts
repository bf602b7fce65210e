import type { Clock } from '../../../src/ports.ts';
import { describeFailure, StoreError } from '../../../src/runtime/store-error.ts';

/** The driver's words for a command without a connection. */
const unconnected = /^(Connection is closed\.|Stream isn't writeable)/;

/** Why Redis failed, in words. The driver's error objects are never logged: they hold command arguments, such as AUTH's. */
export const reasonOf = (thrown: unknown): string => {
  // A Cluster's error says only that no node answered; that of the last node says why.
  const cause = thrown instanceof Error && 'lastNodeError' in thrown ? thrown.lastNodeError : undefined;
  const reason = describeFailure(cause ?? thrown);
  return unconnected.test(reason) ? 'not connected' : reason;
};

/** The error of every rejection of the quota store. */
export const unavailableError = (thrown: unknown): StoreError =>
  thrown instanceof StoreError ? thrown : new StoreError(`Redis: ${reasonOf(thrown)}`);

/**
 * Settles as `work` does, or rejects at `deadline` (milliseconds, `Clock.elapsed()`). A result after the deadline is passed to
 * `late`; a late rejection is dropped. When this process was too busy to read in time, what Redis had answered counts: due
 * timers run before sockets are read, so sockets are read once more before a rejection.
 */
export const withDeadline = <Result>(
  clock: Clock,
  deadline: number,
  work: Promise<Result>,
  late: (result: Result) => void,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    let expired = false;
    const expire = () => {
      expired = true;
      reject(unavailableError('no answer'));
    };
    let lastRead: NodeJS.Immediate | undefined;
    const timer = setTimeout(
      () => {
        lastRead = setImmediate(expire);
      },
      Math.max(0, deadline - clock.elapsed()),
    );
    const settle = () => {
      clearTimeout(timer);
      clearImmediate(lastRead);
    };
    work.then(
      (result) => {
        settle();
        if (expired) late(result);
        else resolve(result);
      },
      (thrown: unknown) => {
        settle();
        reject(thrown);
      },
    );
  });
