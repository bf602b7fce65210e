import { randomUUID } from 'node:crypto';
import { systemClock } from './clock.ts';
import type { Log, UsageStore } from './ports.ts';
import { createUsageCounter, type UsageCounter } from './usage-counter.ts';
import { createUsageWriter, type UsageWriter } from './usage-writer.ts';

/** What is counted here, how much of it waits to be written, and how the writing goes. */
export interface KeptUsage
  extends Pick<UsageCounter, 'count' | 'pending' | 'uncounted'>,
    Pick<UsageWriter, 'flush' | 'age' | 'failures'> {
  /** Writes for the last time, for a moment at most. */
  close(): Promise<void>;
}

/** Less than is given at the end to closing the stores, of which this is a part. */
const lastWriteMs = 700;

/**
 * Counts what partners use, and writes it every so many milliseconds. Like quotas it follows the machine's clock, which no
 * setting holds still.
 */
export const keepUsage = (store: UsageStore, intervalMs: number, log: Log): KeptUsage => {
  const clock = systemClock();
  const counter = createUsageCounter({ clock, instance: randomUUID() });
  const { start, flush, age, failures, close } = createUsageWriter({ counter, store, intervalMs, clock, log });
  start();
  const { count, pending, uncounted } = counter;
  return { count, pending, uncounted, flush, age, failures, close: () => close(lastWriteMs) };
};
