import type { Allowance, QuotaWindow } from '../../src/domain/caller.ts';
import { sum } from '../../src/domain/quantities.ts';
import type { MinuteCount } from '../../src/domain/usage.ts';
import { windowEnd, windowLengthMs } from '../../src/quota/quota.ts';

export interface FullWindow {
  /** Start of the window, epoch milliseconds. */
  readonly startsAt: number;
  readonly asked: number;
  readonly refused: number;
}

export interface RejectedRequests {
  readonly window: QuotaWindow;
  readonly limit: number;
  readonly requests: number;
  readonly full: readonly FullWindow[];
  /**
   * The most requests made in one window: the least limit that refuses nothing, if no other window
   * refuses.
   */
  readonly peak: number;
}

interface Replay {
  readonly asked: number;
  readonly refusedThen: number;
  readonly refused: number;
  readonly refusals: readonly RejectedRequests[];
}

interface MinuteTotal {
  readonly startsAt: number;
  readonly asked: number;
  readonly refusedThen: number;
}

const sumByMinute = (counts: readonly MinuteCount[]): readonly MinuteTotal[] => {
  const minutes = new Map<number, MinuteTotal>();
  for (const { minute, requests, refused } of counts) {
    const { asked, refusedThen } = minutes.get(minute) ?? { asked: 0, refusedThen: 0 };
    minutes.set(minute, {
      startsAt: minute,
      asked: asked + requests,
      refusedThen: refusedThen + refused,
    });
  }
  return [...minutes.values()].sort((left, right) => left.startsAt - right.startsAt);
};

/** Counts the requests of one allowance, window by window. Minutes must come in order of time. */
const createWindowCounter = ({ window, limit }: Allowance) => {
  let current = { startsAt: Number.NaN, asked: 0, used: 0, refused: 0 };
  const full: { startsAt: number; asked: number; refused: number }[] = [];
  let peak = 0;
  return {
    /** Moves on to the window of a minute and returns the requests it can still grant. */
    remaining(minute: number): number {
      const startsAt = windowEnd(window, minute) - windowLengthMs(window);
      if (startsAt !== current.startsAt) current = { startsAt, asked: 0, used: 0, refused: 0 };
      return limit - current.used;
    },
    count(asked: number, granted: number, refused: number): void {
      if (refused > 0 && current.refused === 0) full.push(current);
      current.asked += asked;
      current.used += granted;
      current.refused += refused;
      peak = Math.max(peak, current.asked);
    },
    result: (): RejectedRequests => ({
      window,
      limit,
      requests: sum(full.map(({ refused }) => refused)),
      full: full.map(({ startsAt, asked, refused }) => ({ startsAt, asked, refused })),
      peak,
    }),
  };
};

/**
 * Replays counted requests against allowances by the quota store's rules: clock-aligned UTC
 * windows, and a refusal by one window consumes nothing of any other. The order of requests within
 * a minute does not matter: they are granted until the first window is full, and that window
 * refuses the rest of the minute (of several full windows, the first in the list).
 *
 * @param allowances the allowances of one subject, shortest window first; no window is shorter than
 * a minute
 */
export const replay = (
  counts: readonly MinuteCount[],
  allowances: readonly Allowance[],
): Replay => {
  const minutes = sumByMinute(counts);
  const windows = allowances.map(createWindowCounter);
  for (const { startsAt, asked } of minutes) {
    const remaining = windows.map((window) => window.remaining(startsAt));
    const granted = Math.min(asked, ...remaining);
    const refusing = remaining.indexOf(granted);
    for (const [index, window] of windows.entries()) {
      window.count(asked, granted, index === refusing ? asked - granted : 0);
    }
  }
  const refusals = windows.map((window) => window.result());
  return {
    asked: sum(minutes.map(({ asked }) => asked)),
    refusedThen: sum(minutes.map(({ refusedThen }) => refusedThen)),
    refused: sum(refusals.map(({ requests }) => requests)),
    refusals,
  };
};
