import type { ComparedAnswers, MinuteCount, UsageCount } from '../../../src/domain/usage.ts';
import type { UsageReader } from '../../../src/ports.ts';
import type { DocumentStore } from '../database.ts';
import { dayMembers, hourMembers, readDay, readHour } from '../documents/usage-documents.ts';

const hourMs = 3_600_000;

/** The beginning of the hour that an instant (epoch milliseconds) falls in. */
const hourOf = (instant: number): number => Math.floor(instant / hourMs) * hourMs;

const keyOfDay = ({ keyId, organizationId, form, route, status }: UsageCount): string =>
  JSON.stringify([keyId, organizationId, form, route, status]);

const keyOfMinute = ({ keyId, minute }: MinuteCount): string => `${keyId} ${minute - hourOf(minute)}`;

const addUses = (one: UsageCount['uses'], other: UsageCount['uses']): UsageCount['uses'] => {
  const sum = new Map(Object.entries(one));
  for (const [use, times] of Object.entries(other)) sum.set(use, (sum.get(use) ?? 0) + times);
  return Object.fromEntries(sum);
};

const noneCompared: ComparedAnswers = { answers: 0, differed: 0 };

const addCompared = (one: ComparedAnswers, other: ComparedAnswers): ComparedAnswers => ({
  answers: one.answers + other.answers,
  differed: one.differed + other.differed,
});

const addCounts = (one: UsageCount, other: UsageCount): UsageCount => ({
  ...one,
  requests: one.requests + other.requests,
  uses: addUses(one.uses, other.uses),
  lastAt: Math.max(one.lastAt, other.lastAt),
  ...(one.compared !== undefined && { compared: one.compared }),
  ...(other.compared !== undefined && { compared: addCompared(one.compared ?? noneCompared, other.compared) }),
});

const addMinutes = (one: MinuteCount, other: MinuteCount): MinuteCount => ({
  ...one,
  requests: one.requests + other.requests,
  refused: one.refused + other.refused,
});

/**
 * Sums the counts of several processes with the same key. They come in order of a day or an hour, and those of two of them are
 * never summed: only those of one are looked up.
 */
const createSums = <Count>(
  periodOf: (count: Count) => string | number,
  keyOf: (count: Count) => string,
  add: (one: Count, other: Count) => Count,
) => {
  const all: Count[] = [];
  const indexes = new Map<string, number>();
  let period: string | number | undefined;
  return {
    all,
    add(count: Count): void {
      if (periodOf(count) !== period) indexes.clear();
      period = periodOf(count);
      const key = keyOf(count);
      const index = indexes.get(key) ?? all.length;
      const before = all[index];
      all[index] = before === undefined ? count : add(before, count);
      indexes.set(key, index);
    },
  };
};

const ofOrganization = (organizationId: string | undefined) =>
  organizationId === undefined ? {} : { organization_id: [organizationId] };

/** Reads the collections `usage` and `usage_minutes`, summed over processes. */
export const createUsageReader = (documents: DocumentStore): UsageReader => ({
  async loadDays(since, organizationId) {
    const where = ofOrganization(organizationId);
    const sums = createSums(({ day }: UsageCount) => day, keyOfDay, addCounts);
    const days = documents.find('usage', { where, from: ['day', since], order: ['day'], members: dayMembers });
    for await (const document of days) sums.add(readDay(document));
    return sums.all;
  },
  async loadMinutes(organizationId, since) {
    const where = ofOrganization(organizationId);
    const sums = createSums(({ minute }: MinuteCount) => hourOf(minute), keyOfMinute, addMinutes);
    const from = ['hour', new Date(hourOf(since))] as const;
    const hours = documents.find('usage_minutes', { where, from, order: ['hour'], members: hourMembers });
    for await (const document of hours) {
      for (const count of readHour(document)) if (count.minute >= since) sums.add(count);
    }
    return sums.all.sort((one, other) => one.minute - other.minute);
  },
});
