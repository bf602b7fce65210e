import { inBatches } from '../domain/groups.ts';
import type { DayTotal, HourTotal, UsageCount, UsageTotals } from '../domain/usage.ts';

/** Counts of one day or hour, written as a total. */
export interface UsageEntry {
  readonly id: string;
  readonly of: Pick<UsageCount, 'keyId' | 'organizationId'>;
  /** End of its day or hour, in epoch milliseconds. */
  readonly endsAt: number;
  requests: number;
  /** The `requests` of the last written total. */
  written: number;
}

export interface DayEntry extends UsageEntry {
  readonly of: Pick<DayTotal, 'day' | 'keyId' | 'organizationId' | 'form' | 'route' | 'status'>;
  readonly uses: Record<string, number>;
  lastAt: number;
}

export interface HourEntry extends UsageEntry {
  readonly of: Pick<HourTotal, 'keyId' | 'organizationId' | 'hour'>;
  /** By minute of the hour; minutes without requests have no element. */
  readonly minutes: { requests: number; refused: number }[];
}

/** True if the entry has counted requests since its last write. */
export const hasGrown = ({ requests, written }: UsageEntry): boolean => requests !== written;

export interface UsageBatch {
  readonly totals: UsageTotals;
  /** Marks the totals as written. */
  confirm(): void;
}

const dayTotal = ({ id, of, requests, uses, lastAt }: DayEntry): DayTotal => ({
  id,
  ...of,
  requests,
  uses: { ...uses },
  lastAt,
});

const hourTotal = ({ id, of, requests, minutes }: HourEntry): HourTotal => ({
  id,
  ...of,
  requests,
  minutes: new Map(minutes.flatMap((counted, minute) => [[minute, { ...counted }] as const])),
});

/**
 * Totals per write: a few milliseconds in one turn of the event loop, and seconds for a slow store.
 */
const maxBatch = 50;

/** Yields the totals of entries in batches. Each total is made when it is reached. */
export function* batchesOf(entries: readonly (DayEntry | HourEntry)[]): Iterable<UsageBatch> {
  for (const batch of inBatches(entries, maxBatch)) {
    const taken = batch.map((entry) => ({ entry, requests: entry.requests }));
    yield {
      totals: {
        days: taken.flatMap(({ entry }) => ('uses' in entry ? [dayTotal(entry)] : [])),
        hours: taken.flatMap(({ entry }) => ('minutes' in entry ? [hourTotal(entry)] : [])),
      },
      confirm() {
        for (const { entry, requests } of taken) entry.written = requests;
      },
    };
  }
}
