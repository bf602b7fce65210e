import type { Allowance, QuotaWindow } from '../domain/caller.ts';
import { dayOf } from '../domain/day.ts';
import { formatInstant } from '../domain/quantities.ts';
import type { MinuteCount } from '../domain/usage.ts';
import { type FullWindow, type RejectedRequests, replay } from '../quota/replay.ts';

/** The requests that one quota would have refused, by window. */
export interface RefusalReport {
  readonly window: QuotaWindow;
  readonly limit: number;
  readonly requests: number;
  /** Windows that would have refused something, and on how many days. */
  readonly windows: number;
  readonly days: number;
  readonly first_at: string | undefined;
  readonly last_at: string | undefined;
  /** The least limit that would have refused nothing, with the other windows at theirs; reached first in this window. */
  readonly enough: number;
  readonly enough_at: string | undefined;
  readonly worst: readonly {
    readonly starts_at: string | undefined;
    readonly asked: number;
    readonly refused: number;
  }[];
}

/** Recent requests replayed against the quotas after a move. */
export interface QuotaReport {
  readonly quotas: readonly Allowance[];
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly keys: readonly string[];
  readonly asked: number;
  /** Those of them that a quota refused at the time. The replay includes them. */
  readonly refused_then: number;
  readonly would_refuse: number;
  readonly refusals: readonly RefusalReport[];
}

const maxWorst = 5;

const worstOf = (full: readonly FullWindow[]): RefusalReport['worst'] =>
  full
    .toSorted((left, right) => right.refused - left.refused || left.startsAt - right.startsAt)
    .slice(0, maxWorst)
    .map(({ startsAt, asked, refused }) => ({ starts_at: formatInstant(startsAt), asked, refused }));

const reportOf = ({ window, limit, requests, full, peak, peakAt }: RejectedRequests): RefusalReport => ({
  window,
  limit,
  requests,
  windows: full.length,
  days: new Set(full.map(({ startsAt }) => dayOf(startsAt))).size,
  first_at: formatInstant(full.at(0)?.startsAt),
  last_at: formatInstant(full.at(-1)?.startsAt),
  enough: peak,
  enough_at: formatInstant(peakAt),
  worst: worstOf(full),
});

/** Replays requests between two instants (epoch milliseconds) against quotas of their organization or key. */
export const reportQuota = (
  minutes: readonly MinuteCount[],
  quotas: readonly Allowance[],
  { since, until }: { readonly since: number; readonly until: number },
): QuotaReport => {
  const isCounted = ({ keyId, organizationId }: MinuteCount): boolean =>
    quotas.some(({ subject }) => subject === `organization:${organizationId}` || subject === `key:${keyId}`);
  const counted = minutes.filter(isCounted);
  const { asked, refusedThen, refused, refusals } = replay(counted, quotas);
  return {
    quotas,
    since: formatInstant(since),
    until: formatInstant(until),
    keys: [...new Set(counted.map(({ keyId }) => keyId))].sort(),
    asked,
    refused_then: refusedThen,
    would_refuse: refused,
    refusals: refusals.map(reportOf),
  };
};
