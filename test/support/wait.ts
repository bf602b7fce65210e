import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { dayMs } from '../../src/domain/time.ts';

/**
 * Against hanging only, in milliseconds: no test says how fast a busy machine is. A test has two
 * minutes (`.mocharc.json`), so one that waits in vain says what for.
 */
export const longestWaitMs = 100_000;

/**
 * Polls every 20 ms until `ask` returns true; a rejection counts as false. Rejects after
 * `withinMs`.
 */
export const until = async (
  what: string,
  ask: () => Promise<boolean> | boolean,
  withinMs = longestWaitMs,
): Promise<void> => {
  const end = performance.now() + withinMs;
  let problem: unknown;
  while (performance.now() < end) {
    try {
      if (await ask()) return;
    } catch (thrown) {
      problem = thrown;
    }
    await sleep(20);
  }
  throw new Error(`Not within ${withinMs} ms: ${what}`, { cause: problem });
};

/**
 * Waits for the next UTC day when this one ends within `ms` milliseconds: for tests that need as
 * long within one day.
 */
export const awayFromMidnight = async (ms: number): Promise<void> => {
  const left = dayMs - (Date.now() % dayMs);
  if (left < ms) await sleep(left + 1_000);
};

/**
 * Whether a promise settles before a timer of `ms` milliseconds that starts now, and two turns of
 * the event loop. Unlike a measured time it does not depend on how busy the machine is where the
 * promise waits for a timer too: what delays one of them delays the other, and both may be due in
 * one turn.
 */
export const settlesWithin = (ms: number, promise: Promise<unknown>): Promise<boolean> => {
  const yes = (): boolean => true;
  const late = sleep(ms, false, { ref: false });
  const lastTurns = late.then(() => nextTurn()).then(() => nextTurn(false));
  return Promise.race([promise.then(yes, yes), lastTurns]);
};

/** The message of a rejection; rejects when the promise resolves. */
export const rejectionOf = async (promise: Promise<unknown>): Promise<string> => {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'rejected')
    return result.reason instanceof Error ? result.reason.message : String(result.reason);
  throw new Error(`It did not reject: ${JSON.stringify(result.value)}`);
};
