import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { Answer } from './gateway-process.ts';
import { until } from './wait.ts';

/** One request of a load: when it was sent (`performance.now()`), and its answer. */
export interface Sample<Reply = Answer> {
  readonly sentAt: number;
  /** `undefined` when the connection failed. */
  readonly answer: Reply | undefined;
}

/** A steady load of requests. */
export interface Load<Reply = Answer> {
  /** The requests that were answered or failed so far. */
  readonly samples: readonly Sample<Reply>[];
  /**
   * Resolves when every request that was sent before the call was answered or failed. Called before
   * a fault ends, it proves that no request waits for that end, at whatever speed.
   */
  answered(): Promise<void>;
  stop(): Promise<readonly Sample<Reply>[]>;
}

/** Sends a request every `everyMs` milliseconds, whether or not the earlier ones were answered. */
export const startLoad = <Reply = Answer>(
  send: () => Promise<Reply>,
  everyMs: number,
): Load<Reply> => {
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
    samples,
    answered() {
      const sent = [...running];
      return until('every request sent so far is answered', () =>
        sent.every((one) => !running.has(one)),
      );
    },
    async stop() {
      isStopped = true;
      await sending;
      await Promise.all(running);
      return samples;
    },
  };
};

/** Formats the number of answers of each status: `200 × 412, 503 × 88`. */
export const countStatuses = (samples: readonly Sample[]): string => {
  const counts = new Map<string, number>();
  for (const { answer } of samples) {
    const status = String(answer?.status ?? 'no answer');
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${status} × ${count}`).join(', ');
};

/** The time that 99 of 100 answers took at most, in milliseconds. */
const p99 = (samples: readonly Sample[]): number => {
  const times = samples.map(({ answer }) => answer?.ms ?? Number.POSITIVE_INFINITY);
  return times.toSorted((left, right) => left - right)[Math.floor(times.length * 0.99)] ?? 0;
};

/**
 * How late this process itself was at most, in milliseconds: the longest pause between two requests
 * of its load, beyond the shortest. Bounds grow with it, since a busy machine makes the gateway
 * late too; a fault of the gateway does not change it.
 */
const latenessMs = (samples: readonly Sample[]): number => {
  const sent = samples.map(({ sentAt }) => sentAt).toSorted((left, right) => left - right);
  const pauses = sent.slice(1).map((at, index) => at - (sent[index] ?? at));
  return Math.max(...pauses) - Math.min(...pauses);
};

/**
 * What an answer may take on this machine where it takes `ms` at most on a quiet one. A timer that
 * is 10 ms late is a queue of requests elsewhere: at a load of 25 on two cores answers took up to 20
 * times the lateness longer.
 */
export const allowedMs = (ms: number, samples: readonly Sample[]): number =>
  ms + 30 * latenessMs(samples);

/**
 * Asserts that all were served, 99 of 100 within three seconds: a request that waits for a slow
 * client takes much longer.
 */
export const expectUndelayed = (samples: readonly Sample[]): void => {
  expect(countStatuses(samples)).to.match(/^200 × \d+$/);
  expect(p99(samples)).to.be.below(allowedMs(3_000, samples));
};
