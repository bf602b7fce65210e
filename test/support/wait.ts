import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is true. Rejects when it is not by then; a question that rejects is asked again. */
export const until = async (what: string, ask: () => Promise<boolean> | boolean, withinMs = 5_000): Promise<void> => {
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

/** What a rejection says; rejects when the promise does not. */
export const rejectionOf = async (promise: Promise<unknown>): Promise<string> => {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'rejected')
    return result.reason instanceof Error ? result.reason.message : String(result.reason);
  throw new Error(`It did not reject: ${JSON.stringify(result.value)}`);
};
