import type { Clock } from '../../../src/ports.ts';

/** What an error says. Not the error: the driver's carry a command's arguments, and those of AUTH are a password. */
export const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** That the quota store could not judge. */
export const unavailableError = (thrown: unknown): Error =>
  new Error(`The quota store did not answer: ${reasonOf(thrown)}`);

/**
 * The result of `work`, or a rejection at the deadline (on the scale of `Clock.elapsed()`), whatever becomes of the work.
 * A result that comes after it is handed to `late`.
 */
export const withDeadline = <Result>(
  clock: Clock,
  deadline: number,
  work: Promise<Result>,
  late: (result: Result) => void,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    let expired = false;
    const timer = setTimeout(
      () => {
        expired = true;
        reject(unavailableError('no reply by the deadline'));
      },
      Math.max(0, deadline - clock.elapsed()),
    );
    work.then(
      (result) => {
        clearTimeout(timer);
        if (expired) late(result);
        else resolve(result);
      },
      (thrown: unknown) => {
        clearTimeout(timer);
        reject(thrown);
      },
    );
  });
