import type { Clock } from '../../src/ports.ts';

/** A clock that moves only by `advance`. */
export interface ManualClock extends Clock {
  advance(milliseconds: number): void;
}

export const createManualClock = (start = '2026-08-22T12:00:00.000Z'): ManualClock => {
  let elapsed = 0;
  return {
    now: () => Date.parse(start) + elapsed,
    elapsed: () => elapsed,
    advance(milliseconds) {
      elapsed += milliseconds;
    },
  };
};
