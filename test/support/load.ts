import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './gateway-process.ts';
import { until } from './wait.ts';

/** One request of a load: when it was sent (`performance.now()`), and its answer. */
export interface Sample<Reply = Answer> {
  readonly sentAt: number;
  /** `undefined` when the connection failed. */
  readonly answer: Reply | undefined;
}

/** Sends a request every `everyMs` milliseconds, without waiting for the earlier ones. */
export const startLoad = <Reply = Answer>(send: () => Promise<Reply>, everyMs: number) => {
  /** The requests that were answered or failed so far. */
  const samples: Sample<Reply>[] = [];
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const sendOne = async (): Promise<void> => {
    const sentAt = performance.now();
    const answer = await send().catch(() => undefined);
    samples.push({ sentAt, answer });
  };
  const sendRepeatedly = async (): Promise<void> => {
    while (!isStopped) {
      const one = sendOne();
      running.add(one);
      void one.finally(() => running.delete(one));
      await wait(everyMs);
    }
  };
  const sending = sendRepeatedly();
  return {
    samples: samples as readonly Sample<Reply>[],
    /** Waits for `count` more answers, at any speed. */
    more(count: number): Promise<void> {
      const enough = samples.length + count;
      return until(`${count} more requests are answered`, () => samples.length >= enough);
    },
    /**
     * Resolves when every request that was sent before the call was answered or failed. Called
     * before a fault ends, it proves that no request waits for that end.
     */
    answered(): Promise<void> {
      const sent = [...running];
      return until('every request sent so far is answered', () =>
        sent.every((one) => !running.has(one)),
      );
    },
    async stop(): Promise<readonly Sample<Reply>[]> {
      isStopped = true;
      await sending;
      await Promise.all(running);
      return samples;
    },
  };
};

export type Load<Reply = Answer> = ReturnType<typeof startLoad<Reply>>;

/** Formats the number of answers of each status: `200 × 412, 503 × 88`. */
export const countStatuses = (samples: readonly Sample[]): string => {
  const counts = new Map<string, number>();
  for (const { answer } of samples) {
    const status = String(answer?.status ?? 'no answer');
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${status} × ${count}`).join(', ');
};
