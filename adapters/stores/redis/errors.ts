import type { Clock } from '../../../src/ports.ts';

/** The message of a thrown value. The driver's error objects are never logged: they hold command arguments, such as AUTH's. */
export const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The error of every rejection of the quota store. */
export const unavailableError = (thrown: unknown): Error =>
  new Error(`The quota store did not answer: ${reasonOf(thrown)}`);

/**
 * Settles as `work` does, or rejects at `deadline` (milliseconds, `Clock.elapsed()`). A result after the deadline is passed to
 * `late`; a late rejection is dropped.
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
