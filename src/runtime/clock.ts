import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports.ts';

export const systemClock = (): Clock => ({
  now: () => Date.now(),
  elapsed: () => performance.now(),
});

/**
 * A clock whose `now` is always `instant` (epoch milliseconds), for reproducible responses;
 * `elapsed` still advances.
 */
export const fixedClock = (instant: number): Clock => ({
  now: () => instant,
  elapsed: () => performance.now(),
});
