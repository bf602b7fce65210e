import type { Allowance } from '../../src/domain/caller.ts';
import { dayOf } from '../../src/domain/day.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { formatInstant, sum } from '../../src/domain/quantities.ts';
import type { MinuteCount } from '../../src/domain/usage.ts';
import { windowLengthMs } from '../../src/quota/quota.ts';
import { type FullWindow, type RejectedRequests, replay } from './replay.ts';

const maxWorst = 5;

/** The keys that asked in a window, the one with the most requests first. */
const askersOf = (
  minutes: readonly MinuteCount[],
  { startsAt }: FullWindow,
  lengthMs: number,
): readonly { readonly key: string; readonly asked: number }[] => {
  const inside = minutes.filter(({ minute }) => minute >= startsAt && minute < startsAt + lengthMs);
  return [...groupBy(inside, ({ keyId }) => keyId)]
    .map(([key, own]) => ({ key, asked: sum(own.map(({ requests }) => requests)) }))
    .sort((left, right) => right.asked - left.asked || (left.key < right.key ? -1 : 1));
};

const worstOf = (full: readonly FullWindow[], minutes: readonly MinuteCount[], lengthMs: number) =>
  full
    .toSorted((left, right) => right.refused - left.refused || left.startsAt - right.startsAt)
    .slice(0, maxWorst)
    .map((window) => ({
      starts_at: formatInstant(window.startsAt),
      asked: window.asked,
      refused: window.refused,
      keys: askersOf(minutes, window, lengthMs),
    }));

const reportOf = (
  { window, limit, requests, full, peak }: RejectedRequests,
  minutes: readonly MinuteCount[],
) => ({
  window,
  limit,
  requests,
  /** Windows that would have refused something, and on how many days. */
  windows: full.length,
  days: new Set(full.map(({ startsAt }) => dayOf(startsAt))).size,
  first_at: formatInstant(full.at(0)?.startsAt),
  last_at: formatInstant(full.at(-1)?.startsAt),
  /** The least limit that would have refused nothing if every other window had its own, too. */
  enough: peak,
  worst: worstOf(full, minutes, windowLengthMs(window)),
});

export type RefusalReport = Readonly<ReturnType<typeof reportOf>>;

/**
 * Replays requests between two instants (epoch milliseconds) against quotas of their organization
 * or key.
 */
export const reportQuota = (
  minutes: readonly MinuteCount[],
  quotas: readonly Allowance[],
  { since, until }: { readonly since: number; readonly until: number },
) => {
  const isCounted = ({ keyId, organizationId }: MinuteCount): boolean =>
    quotas.some(
      ({ subject }) => subject === `organization:${organizationId}` || subject === `key:${keyId}`,
    );
  const counted = minutes.filter(isCounted);
  const { asked, refusedThen, refused, refusals } = replay(counted, quotas);
  return {
    quotas,
    since: formatInstant(since),
    until: formatInstant(until),
    keys: [...new Set(counted.map(({ keyId }) => keyId))].sort(),
    asked,
    /** Those of them that a quota refused at the time. The replay includes them. */
    refused_then: refusedThen,
    would_refuse: refused,
    refusals: refusals.map((each) => reportOf(each, counted)),
  };
};

export type QuotaReport = Readonly<ReturnType<typeof reportQuota>>;
