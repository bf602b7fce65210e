import { randomUUID } from 'node:crypto';
import type { Log, UsageStore } from '../ports.ts';
import { systemClock } from '../runtime/clock.ts';
import { createUsageCounter, type UsageCounter } from './counter.ts';
import { createUsageFlusher, type UsageFlusher } from './flusher.ts';

/** What is counted here, how much of it waits to be written, and how the writing goes. */
export interface UsageRecorder
  extends Pick<UsageCounter, 'count' | 'pending' | 'uncounted'>,
    Pick<UsageFlusher, 'flush' | 'age' | 'failures'> {
  /** Writes for the last time, for a moment at most. */
  close(): Promise<void>;
}

/** Less than is given at the end to closing the stores, of which this is a part. */
const lastWriteMs = 700;

/**
 * Counts what partners use, and writes it every so many milliseconds. Like quotas it follows the machine's clock, which no
 * setting holds still.
 */
export const createUsageRecorder = (store: UsageStore, intervalMs: number, log: Log): UsageRecorder => {
  const clock = systemClock();
  const counter = createUsageCounter({ clock, instance: randomUUID() });
  const { start, flush, age, failures, close } = createUsageFlusher({ counter, store, intervalMs, clock, log });
  start();
  const { count, pending, uncounted } = counter;
  return { count, pending, uncounted, flush, age, failures, close: () => close(lastWriteMs) };
};
