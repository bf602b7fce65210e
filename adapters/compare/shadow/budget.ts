import type { Clock } from '../../../src/ports.ts';

/** The processor time that comparisons may use. */
export interface ProcessorBudget {
  spend(ms: number): void;
  isSpent(): boolean;
}

/** Unused time is kept for at most this long: rare requests are compared although one takes more than its share. */
const maxSavedMs = 200;

/** A share of one processor's time, without a bound for a share of 1: a single thread cannot use more than one processor. */
export const createProcessorBudget = (share: number, clock: Clock): ProcessorBudget => {
  let saved = 0;
  let countedAt = clock.elapsed();
  return {
    spend(ms) {
      saved -= ms;
    },
    isSpent() {
      if (share >= 1) return false;
      const now = clock.elapsed();
      saved = Math.min(maxSavedMs, saved + (now - countedAt) * share);
      countedAt = now;
      return saved <= 0;
    },
  };
};
