import type { FormName } from '../domain/caller.ts';
import { dayOf } from '../domain/day.ts';
import { groupBy } from '../domain/groups.ts';
import { isCall, otherCalls } from '../domain/usage.ts';
import type { Clock } from '../ports.ts';
import { windowEnd, windowLengthMs } from '../quota/quota.ts';
import {
  batchesOf,
  type DayEntry,
  type HourEntry,
  hasGrown,
  type UsageBatch,
  type UsageEntry,
} from './totals.ts';

/** A finished request of a known key. */
export interface UsageEvent {
  readonly keyId: string;
  readonly organizationId: string;
  readonly form: FormName;
  /** The route's template; `undefined` for an unknown path. */
  readonly route: string | undefined;
  readonly status: number;
  /** Milliseconds since the request arrived. */
  readonly ms: number;
  /** The parameter uses as in `UsageCount`, without repetitions. */
  readonly uses: readonly string[];
  /** The quota's decision; `undefined` if no quota applied, or if the unit was refunded. */
  readonly quota: 'granted' | 'refused' | undefined;
}

/** Counts requests in memory. Never throws and never blocks. */
export interface UsageMeter {
  count(used: UsageEvent): void;
}

export interface UsageCounter extends UsageMeter {
  /**
   * Totals that have grown since their last write, in batches. Each total is read when it is
   * reached.
   */
  unwritten(): Iterable<UsageBatch>;
  /** The number of unwritten totals. */
  pending(): number;
  /**
   * Drops written totals of past days and hours. A late request for one of them starts a new total.
   */
  forget(): void;
  /**
   * Requests not counted, by day or by minute, because the maximum number of totals was reached.
   */
  uncounted(): number;
}

interface UsageCounterOptions {
  readonly clock: Clock;
  /** Identifies this process among all past and future processes. */
  readonly instance: string;
  readonly limits?: UsageLimits;
}

/** Maximum number of totals in memory. */
export interface UsageLimits {
  /** Totals per day, key, route and status. */
  readonly days: number;
  /** Totals per hour and key. */
  readonly hours: number;
}

/**
 * Stores up to `max` entries. A key has few entries, so a linear search costs less than one Map
 * with joined keys.
 */
const createEntries = <Counted extends UsageEntry>(max: number) => {
  let entries: Counted[] = [];
  let byKey = new Map<string, Counted[]>();
  return {
    /** Finds or creates the matching entry of a key; `undefined` if there are too many entries. */
    at(
      keyId: string,
      counts: (entry: Counted) => boolean,
      make: () => Counted,
    ): Counted | undefined {
      const ofKey = byKey.get(keyId) ?? [];
      const found = ofKey.find(counts);
      if (found !== undefined || entries.length >= max) return found;
      const made = make();
      entries.push(made);
      ofKey.push(made);
      byKey.set(keyId, ofKey);
      return made;
    },
    changed: (): Counted[] => entries.filter(hasGrown),
    forget(now: number): void {
      entries = entries.filter((entry) => entry.endsAt > now || hasGrown(entry));
      byKey = groupBy(entries, ({ of }) => of.keyId);
    },
  };
};

/**
 * Enough for 1,000 keys with 20 combinations of route and status a day, and 5 hours: tens of
 * megabytes when full.
 */
const defaultLimits: UsageLimits = { days: 20_000, hours: 5_000 };

/**
 * Distinct queries recorded per total. A typical client sends about ten; the limit protects memory
 * from a client that increments a parameter.
 */
const maxCalls = 40;

const hasRoomFor = (use: string, { uses }: DayEntry): boolean =>
  !isCall(use) || Object.hasOwn(uses, use) || Object.keys(uses).filter(isCall).length < maxCalls;

/**
 * Counts in this process. Every total has a unique id, so writing it twice counts it once. It never
 * mixes with totals of other processes or with dropped totals.
 */
export const createUsageCounter = (options: UsageCounterOptions): UsageCounter => {
  const { clock, instance, limits = defaultLimits } = options;
  const days = createEntries<DayEntry>(limits.days);
  const hours = createEntries<HourEntry>(limits.hours);
  let made = 0;
  let uncounted = 0;

  const newEntry = (endsAt: number): Omit<UsageEntry, 'of'> => {
    made += 1;
    return { id: `${instance}:${made}`, endsAt, requests: 0, written: 0 };
  };

  const countDay = (
    { keyId, organizationId, form, route, status, uses }: UsageEvent,
    at: number,
  ): boolean => {
    const endsAt = windowEnd('day', at);
    const entry = days.at(
      keyId,
      ({ endsAt: end, of }) =>
        end === endsAt && of.route === route && of.status === status && of.form === form,
      () => ({
        ...newEntry(endsAt),
        of: { day: dayOf(at), keyId, organizationId, form, route, status },
        uses: {},
        lastAt: at,
      }),
    );
    if (entry === undefined) return false;
    entry.requests += 1;
    entry.lastAt = Math.max(entry.lastAt, at);
    for (const use of uses) {
      const counted = hasRoomFor(use, entry) ? use : otherCalls;
      entry.uses[counted] = (entry.uses[counted] ?? 0) + 1;
    }
    return true;
  };

  const countMinute = ({ keyId, organizationId, quota }: UsageEvent, at: number): boolean => {
    const endsAt = windowEnd('hour', at);
    const hour = endsAt - windowLengthMs('hour');
    const entry = hours.at(
      keyId,
      (counted) => counted.endsAt === endsAt,
      () => ({ ...newEntry(endsAt), of: { keyId, organizationId, hour }, minutes: [] }),
    );
    if (entry === undefined) return false;
    const minute = Math.floor((at - hour) / windowLengthMs('minute'));
    const counted = entry.minutes[minute] ?? { requests: 0, refused: 0 };
    entry.minutes[minute] = counted;
    entry.requests += 1;
    counted.requests += 1;
    if (quota === 'refused') counted.refused += 1;
    return true;
  };

  const changed = (): readonly (DayEntry | HourEntry)[] => [...days.changed(), ...hours.changed()];

  return {
    count(used) {
      const at = Math.floor(clock.now() - used.ms);
      const countedByDay = countDay(used, at);
      const countedByMinute = used.quota === undefined || countMinute(used, at);
      if (!countedByDay || !countedByMinute) uncounted += 1;
    },
    unwritten: () => batchesOf(changed()),
    pending: () => changed().length,
    forget() {
      const now = clock.now();
      days.forget(now);
      hours.forget(now);
    },
    uncounted: () => uncounted,
  };
};
