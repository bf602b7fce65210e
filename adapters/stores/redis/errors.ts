import type { Clock } from '../../../src/ports.ts';
import { describeFailure, StoreError } from '../../../src/runtime/store-error.ts';
import { withStoreTimeout } from '../../../src/runtime/store-timeout.ts';

/** The driver's words for a command without a connection. */
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
  return unconnected.test(reason) ? 'not connected' : reason;
};

/** The error of every rejection of the quota store. */
export const unavailableError = (thrown: unknown): StoreError =>
  thrown instanceof StoreError ? thrown : new StoreError(`Redis: ${reasonOf(thrown)}`);

/** `withStoreTimeout` until a deadline (milliseconds, `Clock.elapsed()`). */
export const withDeadline = <Result>(
  clock: Clock,
  deadline: number,
  work: Promise<Result>,
  late?: (result: Result) => void,
): Promise<Result> => withStoreTimeout(work, deadline - clock.elapsed(), 'Redis: no answer', late);
