import type { DayTotal, HourTotal, UsageCount, UsageTotals } from '../domain/usage.ts';

/** Counts of one day or hour, written as a total. */
export interface UsageEntry {
  readonly id: string;
  readonly of: Pick<UsageCount, 'keyId' | 'organizationId'>;
  /** End of its day or hour, in epoch milliseconds. */
  readonly endsAt: number;
  requests: number;
  /** Everything counted so far. */
  size: number;
  /** The `size` of the total that was last written. */
  written: number;
}

export interface DayEntry extends UsageEntry {
  readonly of: Pick<DayTotal, 'day' | 'keyId' | 'organizationId' | 'form' | 'route' | 'status'>;
  readonly uses: Record<string, number>;
  lastAt: number;
  readonly compared: { answers: number; differed: number };
}

export interface HourEntry extends UsageEntry {
  readonly of: Pick<HourTotal, 'keyId' | 'organizationId' | 'hour'>;
  /** By minute of the hour; minutes without requests have no element. */
  readonly minutes: { requests: number; refused: number }[];
}

/** Whether an entry counted what its last written total does not have. */
export const hasGrown = ({ size, written }: UsageEntry): boolean => size !== written;

/** Totals to be written together. */
export interface UsageBatch {
  readonly totals: UsageTotals;
  /** Marks them as written. */
  confirm(): void;
}

export const dayTotal = ({ id, of, requests, uses, lastAt, compared }: DayEntry): DayTotal => ({
  id,
  ...of,
  requests,
  uses: { ...uses },
  lastAt,
  ...(compared.answers > 0 && { compared: { ...compared } }),
});

export const hourTotal = ({ id, of, requests, minutes }: HourEntry): HourTotal => ({
  id,
  ...of,
  requests,
  minutes: new Map(minutes.flatMap((counted, minute) => [[minute, { ...counted }] as const])),
});

/** Yields the totals of entries in batches of the size that `sizeOf` returns when each is reached. */
export function* batchesOf<Counted extends UsageEntry, Total>(
  entries: readonly Counted[],
  sizeOf: () => number,
  totalOf: (entry: Counted) => Total,
  asTotals: (totals: Total[]) => UsageTotals,
): Iterable<UsageBatch> {
  let start = 0;
  while (start < entries.length) {
    const taken = entries
      .slice(start, start + sizeOf())
      .map((entry) => ({ entry, size: entry.size, total: totalOf(entry) }));
    start += taken.length;
    yield {
      totals: asTotals(taken.map(({ total }) => total)),
      confirm() {
        for (const { entry, size } of taken) entry.written = size;
      },
    };
  }
}
