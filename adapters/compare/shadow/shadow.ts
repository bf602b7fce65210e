import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/ports.ts';
import type { Form } from '../../forms/form.ts';
import type { ObserveReply } from '../../http/pipeline.ts';
import type { Reply } from '../../http/send.ts';
import { createJob, type ObservedAnswer } from './job.ts';
import { createJudgeThread, JudgeFailure, type JudgeThread } from './judge-thread.ts';
import { AnswerTooLarge, maxAnswerLength } from './render-slices.ts';
import { createShadowReport, type ShadowReport, type ShadowReportOptions } from './shadow-report.ts';

interface ShadowOptions {
  /** Share of answers that are compared, above 0 and at most 1, and of one processor's time below 1. */
  readonly share: number;
  readonly forms: readonly Form[];
  readonly clock: Clock;
  readonly thread: JudgeThread;
  readonly report: ShadowReport;
  /** Milliseconds without comparisons after the worker thread failed. */
  readonly pauseMs?: number;
}

/** Compares a share of the answers with the other form, after the reply was sent. */
export interface Shadow {
  /** Never throws; returns at once. */
  readonly observe: ObserveReply;
  /** Resolves when nothing waits for its comparison. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Answers that wait for their comparison. Each keeps its body and its snapshot in memory. */
const maxWaiting = 64;

const defaultPauseMs = 30_000;

const isTooLarge = ({ body }: Reply): boolean =>
  body !== undefined && 'length' in body && body.length > maxAnswerLength;

/** Unused processor time is kept for at most this long: rare requests are compared although one takes more than its share. */
const maxSavedMs = 200;

/** A share of one processor's time, without a bound for a share of 1: a single thread cannot use more than one processor. */
const createProcessorBudget = (share: number, clock: Clock) => {
  let saved = 0;
  let countedAt = clock.elapsed();
  return {
    spend(ms: number): void {
      saved -= ms;
    },
    isSpent(): boolean {
      if (share >= 1) return false;
      const now = clock.elapsed();
      saved = Math.min(maxSavedMs, saved + (now - countedAt) * share);
      countedAt = now;
      return saved <= 0;
    },
  };
};

/** Creates a shadow comparison. It answers no request: a full queue, a throw or a hung thread only shows in its report. */
export const createShadow = (options: ShadowOptions): Shadow => {
  const { share, forms, clock, thread, report, pauseMs = defaultPauseMs } = options;
  const budget = createProcessorBudget(share, clock);
  const waiting: ObservedAnswer[] = [];
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let isClosed = false;

  const compareOne = async (one: ObservedAnswer): Promise<void> => {
    const created = await createJob(one, forms, clock);
    if (created === undefined) return report.passed('skipped');
    const { causes, ms } = await thread.judge(created.job);
    budget.spend(created.ms + ms);
    report.judged(one, causes);
  };

  const compareAll = async (): Promise<void> => {
    await setImmediate(); // after the work of the request
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      if (clock.elapsed() < pausedUntil) {
        report.passed('dropped');
        continue;
      }
      try {
        await compareOne(one);
      } catch (failure) {
        if (isClosed) return;
        if (failure instanceof AnswerTooLarge) {
          report.passed('skipped');
          continue;
        }
        if (failure instanceof JudgeFailure) pausedUntil = clock.elapsed() + pauseMs;
        report.failed(one, failure);
      }
    }
  };

  return {
    observe({ requestId, form, now, answered }, reply) {
      if (isClosed || answered === undefined || (share < 1 && Math.random() >= share)) return;
      if (reply.status !== 200 || isTooLarge(reply)) return report.passed('skipped');
      const isPaused = clock.elapsed() < pausedUntil;
      if (isPaused || waiting.length >= maxWaiting || budget.isSpent()) return report.passed('dropped');
      waiting.push({ requestId, form: form.name, answeredAt: clock.elapsed(), answered, reply, now });
      running ??= compareAll().finally(() => {
        running = undefined;
      });
    },
    settled: async () => {
      while (running !== undefined) await running;
    },
    async close() {
      isClosed = true;
      waiting.length = 0;
      await thread.close();
    },
  };
};

/** Opens a shadow comparison with a worker thread of its own. */
export const openShadow = (options: Pick<ShadowOptions, 'share' | 'forms'> & ShadowReportOptions): Shadow => {
  const thread = createJudgeThread();
  thread.start();
  return createShadow({ ...options, thread, report: createShadowReport(options) });
};
