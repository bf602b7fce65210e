import type { Allowance, QuotaWindow } from '../domain/caller.ts';
import type { MinuteCount } from '../domain/usage.ts';
import { windowEnd, windowLengthMs } from './quota.ts';

/** One window of an allowance that would have refused something. */
export interface FullWindow {
  /** Its first instant, in epoch milliseconds. */
  readonly startsAt: number;
  /** What was asked in it. */
  readonly asked: number;
  /** What this allowance would have refused of that. */
  readonly refused: number;
}

/** What one allowance would have refused. */
export interface RejectedRequests {
  readonly window: QuotaWindow;
  readonly limit: number;
  readonly requests: number;
  /** Every window that would have refused something, in order of time. */
  readonly full: readonly FullWindow[];
}

/** What allowances would have made of requests that were counted by the minute. */
export interface Replay {
  readonly asked: number;
  /** Those of them that a quota refused when they were asked. */
  readonly refusedThen: number;
  readonly refused: number;
  /** By allowance, in the order they were given. */
  readonly refusals: readonly RejectedRequests[];
}

interface Minute {
  readonly startsAt: number;
  readonly asked: number;
  readonly refusedThen: number;
}

/** The counts of all keys together, minute by minute. */
const addUp = (counts: readonly MinuteCount[]): readonly Minute[] => {
  const minutes = new Map<number, Minute>();
  for (const { minute, requests, refused } of counts) {
    const { asked, refusedThen } = minutes.get(minute) ?? { asked: 0, refusedThen: 0 };
    minutes.set(minute, { startsAt: minute, asked: asked + requests, refusedThen: refusedThen + refused });
  }
  return [...minutes.values()].sort((left, right) => left.startsAt - right.startsAt);
};

/** Counts one allowance through windows that are told in order of time. */
const createCount = ({ window, limit }: Allowance) => {
  let current = { startsAt: Number.NaN, asked: 0, used: 0, refused: 0 };
  const full: { startsAt: number; asked: number; refused: number }[] = [];
  return {
    /** Goes on to the window that a minute lies in; how many more requests have room there. */
    room(minute: number): number {
      const startsAt = windowEnd(window, minute) - windowLengthMs(window);
      if (startsAt !== current.startsAt) current = { startsAt, asked: 0, used: 0, refused: 0 };
      return limit - current.used;
    },
    count(asked: number, granted: number, refused: number): void {
      if (refused > 0 && current.refused === 0) full.push(current);
      current.asked += asked;
      current.used += granted;
      current.refused += refused;
    },
    result: (): RejectedRequests => ({
      window,
      limit,
      requests: full.reduce((sum, { refused }) => sum + refused, 0),
      full: full.map(({ startsAt, asked, refused }) => ({ startsAt, asked, refused })),
    }),
  };
};

/**
 * What allowances would have made of requests, as the quota store does: clock-aligned UTC windows, and a refusal by one
 * window spends nothing of any other. Within a minute no order has to be known: requests are granted until the first window
 * is full, and that one refuses the rest of the minute (of several that are full at once, the first in the list).
 *
 * @param allowances of one subject, shortest window first; no window is shorter than a minute
 */
export const replay = (counts: readonly MinuteCount[], allowances: readonly Allowance[]): Replay => {
  const minutes = addUp(counts);
  const windows = allowances.map(createCount);
  for (const { startsAt, asked } of minutes) {
    const rooms = windows.map((window) => window.room(startsAt));
    const granted = Math.min(asked, ...rooms);
    const refusing = rooms.indexOf(granted);
    for (const [place, window] of windows.entries()) {
      window.count(asked, granted, place === refusing ? asked - granted : 0);
    }
  }
  const refusals = windows.map((window) => window.result());
  return {
    asked: minutes.reduce((sum, { asked }) => sum + asked, 0),
    refusedThen: minutes.reduce((sum, { refusedThen }) => sum + refusedThen, 0),
    refused: refusals.reduce((sum, { requests }) => sum + requests, 0),
    refusals,
  };
};
