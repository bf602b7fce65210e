import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports.ts';

/** The machine's clock. */
export const systemClock = (): Clock => ({ now: () => Date.now(), elapsed: () => performance.now() });

/** A clock that stands at one instant (epoch milliseconds), for reproducible answers; time between two events still passes. */
export const fixedClock = (instant: number): Clock => ({ now: () => instant, elapsed: () => performance.now() });
