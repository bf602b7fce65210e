import type { FormName } from '../domain/caller.ts';
import { dayOf } from '../domain/day.ts';
import type { Clock, DayTotal, HourTotal, UsageTotals } from '../ports.ts';
import { windowEnd, windowLengthMs } from '../quota/quota.ts';
import { createTable, type Entry } from './counter-table.ts';

/** What an answered request of a known key used. */
export interface UsageEvent {
  readonly keyId: string;
  readonly organizationId: string;
  /** The form that was served. */
  readonly form: FormName;
  /** The template of the route; `undefined` when there was nothing at the path. */
  readonly route: string | undefined;
  readonly status: number;
  /** Milliseconds since it came. */
  readonly ms: number;
  /** How it used parameters, in the words of `UsageCount`, each once. */
  readonly uses: readonly string[];
  /** What its quota said; `undefined` when none was asked, or when the unit was given back. */
  readonly quota: 'granted' | 'refused' | undefined;
}

/** Counts what partners use. Never fails and keeps nobody waiting. */
export interface UsageMeter {
  count(used: UsageEvent): void;
}

/** Totals to be written together. */
export interface UsageBatch {
  readonly totals: UsageTotals;
  /** Says that they were written. */
  confirm(): void;
}

export interface UsageCounter extends UsageMeter {
  /** Everything that has grown since it was last written, a few at a time, each batch as it stands when it is reached. */
  unwritten(): Iterable<UsageBatch>;
  /** How many totals these are. */
  pending(): number;
  /** Lets go of past days and hours that were written. What comes late for one of them is counted anew. */
  forget(): void;
  /** Requests that were not counted, or not by the minute, because there was no room for anything new. */
  uncounted(): number;
}

export interface UsageCounterOptions {
  readonly clock: Clock;
  /** Tells this process apart from all others, now and later. */
  readonly instance: string;
  readonly limits?: UsageLimits;
}

/** How many different things are kept in memory at most. */
export interface UsageLimits {
  /** Days of a key at one route with one status. */
  readonly days: number;
  /** Hours of a key. */
  readonly hours: number;
}

interface DayEntry extends Entry {
  readonly of: Pick<DayTotal, 'day' | 'keyId' | 'organizationId' | 'form' | 'route' | 'status'>;
  readonly uses: Map<string, number>;
  lastAt: number;
}

interface HourEntry extends Entry {
  readonly of: Pick<HourTotal, 'keyId' | 'organizationId' | 'hour'>;
  readonly minutes: Map<number, { requests: number; refused: number }>;
}

const dayTotal = ({ id, of, requests, uses, lastAt }: DayEntry): DayTotal => ({
  id,
  ...of,
  requests,
  uses: Object.fromEntries(uses),
  lastAt,
});

const hourTotal = ({ id, of, requests, minutes }: HourEntry): HourTotal => ({
  id,
  ...of,
  requests,
  minutes: new Map([...minutes].map(([minute, counted]) => [minute, { ...counted }])),
});

const batchSize = 500;

/** Takes totals of entries, a batch at a time. */
function* batchesOf<Kept extends Entry, Total extends { readonly requests: number }>(
  entries: readonly Kept[],
  totalOf: (entry: Kept) => Total,
  asTotals: (totals: Total[]) => UsageTotals,
): Iterable<UsageBatch> {
  for (let start = 0; start < entries.length; start += batchSize) {
    const taken = entries.slice(start, start + batchSize).map((entry) => ({ entry, total: totalOf(entry) }));
    yield {
      totals: asTotals(taken.map(({ total }) => total)),
      confirm() {
        for (const { entry, total } of taken) entry.written = total.requests;
      },
    };
  }
}

/** A thousand keys at everything they do on a day and for five hours. When all is full it is some tens of megabytes. */
const defaultLimits: UsageLimits = { days: 20_000, hours: 5_000 };

/**
 * Counts in this process. Every total has an id of its own, so that it can be written again and again without being counted
 * twice, and never meets what another process counts, or this one after it has let go of a total.
 */
export const createUsageCounter = (options: UsageCounterOptions): UsageCounter => {
  const { clock, instance, limits = defaultLimits } = options;
  const days = createTable<DayEntry>(limits.days);
  const hours = createTable<HourEntry>(limits.hours);
  let made = 0;
  let uncounted = 0;

  const newEntry = (): Entry => {
    made += 1;
    return { id: `${instance}:${made}`, requests: 0, written: 0 };
  };

  const countDay = ({ keyId, organizationId, form, route, status, uses }: UsageEvent, at: number): boolean => {
    const entry = days.at(windowEnd('day', at), [keyId, form, route, status], () => ({
      ...newEntry(),
      of: { day: dayOf(at), keyId, organizationId, form, route, status },
      uses: new Map(),
      lastAt: at,
    }));
    if (entry === undefined) return false;
    entry.requests += 1;
    entry.lastAt = Math.max(entry.lastAt, at);
    for (const use of uses) entry.uses.set(use, (entry.uses.get(use) ?? 0) + 1);
    return true;
  };

  const countMinute = ({ keyId, organizationId, quota }: UsageEvent, at: number): boolean => {
    const endsAt = windowEnd('hour', at);
    const hour = endsAt - windowLengthMs('hour');
    const entry = hours.at(endsAt, [keyId], () => ({
      ...newEntry(),
      of: { keyId, organizationId, hour },
      minutes: new Map(),
    }));
    if (entry === undefined) return false;
    const minute = Math.floor((at - hour) / windowLengthMs('minute'));
    const counted = entry.minutes.get(minute) ?? { requests: 0, refused: 0 };
    entry.minutes.set(minute, counted);
    entry.requests += 1;
    counted.requests += 1;
    if (quota === 'refused') counted.refused += 1;
    return true;
  };

  return {
    count(used) {
      const at = Math.floor(clock.now() - used.ms);
      const isCounted = countDay(used, at);
      const isCountedByTheMinute = used.quota === undefined || countMinute(used, at);
      if (!isCounted || !isCountedByTheMinute) uncounted += 1;
    },
    *unwritten() {
      yield* batchesOf(days.changed(), dayTotal, (totals) => ({ days: totals, hours: [] }));
      yield* batchesOf(hours.changed(), hourTotal, (totals) => ({ days: [], hours: totals }));
    },
    pending: () => days.changed().length + hours.changed().length,
    forget() {
      const now = clock.now();
      days.forget(now);
      hours.forget(now);
    },
    uncounted: () => uncounted,
  };
};
