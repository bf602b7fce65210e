import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { dayMs } from '../../src/domain/time.ts';

/**
 * The longest wait in milliseconds, against hanging only. It is shorter than the limit of a test,
 * two minutes (`.mocharc.json`), so that a failure names what it waited for.
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
 * True if a promise settles before a timer of `ms` milliseconds that starts now, and two turns of
 * the event loop. A busy machine delays this timer and the timer of the promise the same way. Both
 * can be due in one turn.
 */
export const settlesWithin = (ms: number, promise: Promise<unknown>): Promise<boolean> => {
  const yes = (): boolean => true;
  const late = sleep(ms, false, { ref: false });
  const lastTurns = late.then(() => nextTurn()).then(() => nextTurn(false));
  return Promise.race([promise.then(yes, yes), lastTurns]);
};

/**
 * Runs work by a clock that moves by a second at each look, so that every step takes longer than a
 * turn of the event loop may. Resolves to the number of turns that it left to other work.
 */
export const countTurns = async (work: () => Promise<unknown>): Promise<number> => {
  const { now } = performance;
  let [elapsed, turns, isOver] = [0, 0, false];
  performance.now = () => (elapsed += 1_000);
  const working = work().finally(() => {
    performance.now = now;
    isOver = true;
  });
  for (; !isOver; turns += 1) await nextTurn();
  await working;
  return turns;
};

/** The message of a rejection; rejects when the promise resolves. */
export const rejectionOf = async (promise: Promise<unknown>): Promise<string> => {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'rejected')
    return result.reason instanceof Error ? result.reason.message : String(result.reason);
  throw new Error(`It did not reject: ${JSON.stringify(result.value)}`);
};
