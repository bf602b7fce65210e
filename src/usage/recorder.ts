import { randomUUID } from 'node:crypto';
import type { Log, UsageStore } from '../ports.ts';
import { systemClock } from '../runtime/clock.ts';
import { createUsageCounter, type UsageCounter } from './counter.ts';
import { createUsageFlusher, type UsageFlusher } from './flusher.ts';

/** Counts usage and writes it to the store. */
export interface UsageRecorder
  extends Pick<UsageCounter, 'count' | 'countComparison' | 'pending' | 'uncounted'>,
    Pick<UsageFlusher, 'flush' | 'age' | 'failures'> {
  /** Writes a last time, until the store has taken nothing for 1.5 s. Never rejects. */
  close(): Promise<void>;
}

/** The patience of the last write, in milliseconds: a store that answers takes a batch much sooner. */
const patienceMs = 1_500;

/**
 * Creates a recorder and starts writing every `intervalMs` milliseconds. It uses the system clock, even with `FIXED_NOW`:
 * usage is counted on the days it happens.
 */
export const createUsageRecorder = (store: UsageStore, intervalMs: number, log: Log): UsageRecorder => {
  const clock = systemClock();
  const counter = createUsageCounter({ clock, instance: randomUUID() });
  const { start, flush, age, failures, close } = createUsageFlusher({ counter, store, intervalMs, clock, log });
  start();
  const { count, countComparison, pending, uncounted } = counter;
  return { count, countComparison, pending, uncounted, flush, age, failures, close: () => close(patienceMs) };
};
