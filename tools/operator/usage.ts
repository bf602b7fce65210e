import type { DocumentStore } from '../../adapters/stores/database.ts';
import {
  dayMembers,
  hourMembers,
  readDay,
  readHour,
} from '../../adapters/stores/documents/usage-documents.ts';
import type { Day } from '../../src/domain/day.ts';
import { hourMs } from '../../src/domain/time.ts';
import type { MinuteCount, UsageCount } from '../../src/domain/usage.ts';

/**
 * Reads the counts of all processes, summed. Rejects when a stored document cannot be read, and
 * names it.
 */
export interface UsageReader {
  /** Counts of this UTC day and later, of one organization or of all; earlier days first. */
  loadDays(since: Day, organizationId?: string): Promise<readonly UsageCount[]>;
  /**
   * The requests of each key in each minute that began at this instant (epoch milliseconds) or
   * later, of one organization or of all; in order.
   */
  loadMinutes(organizationId: string | undefined, since: number): Promise<readonly MinuteCount[]>;
}

const hourOf = (instant: number): Date => new Date(Math.floor(instant / hourMs) * hourMs);

const keyOfCount = ({ day, keyId, organizationId, form, route, status }: UsageCount): string =>
  JSON.stringify([day, keyId, organizationId, form, route, status]);

const addUses = (one: UsageCount['uses'], other: UsageCount['uses']): UsageCount['uses'] => {
  const sum = new Map(Object.entries(one));
  for (const [use, times] of Object.entries(other)) sum.set(use, (sum.get(use) ?? 0) + times);
  return Object.fromEntries(sum);
};

const addCounts = (one: UsageCount, other: UsageCount): UsageCount => ({
  ...one,
  requests: one.requests + other.requests,
  uses: addUses(one.uses, other.uses),
  lastAt: Math.max(one.lastAt, other.lastAt),
});

const addMinutes = (one: MinuteCount, other: MinuteCount): MinuteCount => ({
  ...one,
  requests: one.requests + other.requests,
  refused: one.refused + other.refused,
});

const createSums = <Count>(
  keyOf: (count: Count) => string,
  add: (one: Count, other: Count) => Count,
) => {
  const sums = new Map<string, Count>();
  return {
    add(count: Count): void {
      const key = keyOf(count);
      const before = sums.get(key);
      sums.set(key, before === undefined ? count : add(before, count));
    },
    all: (): Count[] => [...sums.values()],
  };
};

const ofOrganization = (organizationId: string | undefined) =>
  organizationId === undefined ? {} : { organization_id: [organizationId] };

/** Reads the collections `usage` and `usage_minutes`, summed over processes. */
export const createUsageReader = (documents: DocumentStore): UsageReader => ({
  async loadDays(since, organizationId) {
    const where = ofOrganization(organizationId);
    const sums = createSums(keyOfCount, addCounts);
    const days = documents.find('usage', {
      where,
      from: ['day', since],
      order: ['day'],
      members: dayMembers,
    });
    for await (const document of days) sums.add(readDay(document));
    return sums.all();
  },
  async loadMinutes(organizationId, since) {
    const where = ofOrganization(organizationId);
    const sums = createSums(({ keyId, minute }: MinuteCount) => `${keyId} ${minute}`, addMinutes);
    const hours = documents.find('usage_minutes', {
      where,
      from: ['hour', hourOf(since)],
      members: hourMembers,
    });
    for await (const document of hours) {
      for (const count of readHour(document)) if (count.minute >= since) sums.add(count);
    }
    return sums.all().sort((one, other) => one.minute - other.minute);
  },
});
