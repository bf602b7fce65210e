import { randomUUID } from 'node:crypto';
import type { Log, UsageStore } from '../ports.ts';
import { systemClock } from '../runtime/clock.ts';
import { createUsageCounter, type UsageCounter } from './counter.ts';
import { createUsageFlusher, type UsageFlusher } from './flusher.ts';

/** Counts usage and writes it to the store. */
export type UsageRecorder = UsageCounter & UsageFlusher;

/**
 * Creates a recorder and starts writing every `intervalMs` milliseconds. It uses the system clock,
 * even with `FIXED_NOW`: usage is counted on the days it happens.
 */
export const createUsageRecorder = (
  store: UsageStore,
  intervalMs: number,
  log: Log,
): UsageRecorder => {
  const clock = systemClock();
  const counter = createUsageCounter({ clock, instance: randomUUID() });
  const flusher = createUsageFlusher({ counter, store, intervalMs, clock, log });
  flusher.start();
  return { ...counter, ...flusher };
};
