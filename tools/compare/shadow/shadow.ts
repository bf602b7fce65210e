import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Form } from '../../../adapters/forms/form.ts';
import type { ObserveReply } from '../../../adapters/http/pipeline.ts';
import type { ObservedAnswer } from './answers.ts';
import { judge } from './judge.ts';
import { createShadowReport, type ShadowReportOptions } from './shadow-report.ts';

interface ShadowOptions extends ShadowReportOptions {
  readonly forms: readonly Form[];
  /** Milliseconds from the beginning of one comparison to that of the next. */
  readonly intervalMs?: number;
}

/** Compares answers with the other form after they were sent, at most one a second. */
export interface Shadow {
  /** Never throws; returns at once. */
  readonly observe: ObserveReply;
  /** Resolves when no comparison runs. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates a shadow comparison. No request waits for it, and what it throws only shows in its
 * report.
 */
export const createShadow = ({
  forms,
  intervalMs = 1_000,
  ...reporting
}: ShadowOptions): Shadow => {
  const { clock } = reporting;
  const report = createShadowReport(reporting);
  let dueAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let isClosed = false;

  const compare = async (answer: ObservedAnswer): Promise<void> => {
    await nextTurn(); // after the work of the request
    try {
      report.judged(answer, await judge(answer, forms));
    } catch (failure) {
      report.failed(answer, failure);
    }
  };

  return {
    observe({ requestId, form, now, answered }, reply) {
      if (isClosed || answered === undefined || reply.status !== 200) return;
      if (running !== undefined || clock.elapsed() < dueAt) return;
      dueAt = clock.elapsed() + intervalMs;
      running = compare({ requestId, form, answered, now }).finally(() => {
        running = undefined;
      });
    },
    settled: async () => running,
    async close() {
      isClosed = true;
      await running;
    },
  };
};
