import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import type { ComparedAnswers, MinuteCount, UsageCount } from '../../../src/domain/usage.ts';
import type { UsageReader, UsageStore } from '../../../src/ports.ts';
import { dayDocument, hourDocument, readDay, readHour, type TotalMembers } from './usage-documents.ts';

interface Total extends TotalMembers {
  readonly _id: string;
}

const daysIn = (db: Db): Collection<Total> => db.collection<Total>('usage');
const hoursIn = (db: Db): Collection<Total> => db.collection<Total>('usage_minutes');

const hourMs = 3_600_000;

/** The beginning of the hour that an instant (epoch milliseconds) falls in. */
const hourOf = (instant: number): Date => new Date(Math.floor(instant / hourMs) * hourMs);

/**
 * Replaces a lower total. The server may still execute a write that the client has abandoned, even after a later one: it then
 * finds a higher total and fails as a duplicate.
 */
const put = (_id: string, replacement: TotalMembers): AnyBulkWriteOperation<Total> => ({
  replaceOne: { filter: { _id, requests: { $lte: replacement.requests } }, replacement, upsert: true },
});

const write = async (collection: Collection<Total>, operations: AnyBulkWriteOperation<Total>[]): Promise<void> => {
  if (operations.length > 0) await collection.bulkWrite(operations, { ordered: false });
};

/** Writes the collections `usage` and `usage_minutes`. No two processes write the same document. */
export const createMongoUsage = (db: Db): UsageStore => ({
  async write({ days, hours }) {
    await write(
      daysIn(db),
      days.map((total) => put(total.id, dayDocument(total))),
    );
    await write(
      hoursIn(db),
      hours.map((total) => put(total.id, hourDocument(total))),
    );
  },
});

const keyOfCount = ({ day, keyId, organizationId, form, route, status }: UsageCount): string =>
  JSON.stringify([day, keyId, organizationId, form, route, status]);

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

/** Sums the counts of several processes with the same key. */
const createSums = <Count>(keyOf: (count: Count) => string, add: (one: Count, other: Count) => Count) => {
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

const ofOrganization = (organizationId: string | undefined): Filter<Total> =>
  organizationId === undefined ? {} : { organization_id: organizationId };

/** Reads the same collections, summed over processes. */
export const createMongoUsageReader = (db: Db): UsageReader => ({
  async loadDays(since, organizationId) {
    const sums = createSums(keyOfCount, addCounts);
    const filter: Filter<Total> = { ...ofOrganization(organizationId), day: { $gte: since } };
    for await (const document of daysIn(db).find(filter, { sort: { day: 1 } })) sums.add(readDay(document));
    return sums.all();
  },
  async loadMinutes(organizationId, since) {
    const sums = createSums(({ keyId, minute }: MinuteCount) => `${keyId} ${minute}`, addMinutes);
    const filter: Filter<Total> = { ...ofOrganization(organizationId), hour: { $gte: hourOf(since) } };
    for await (const document of hoursIn(db).find(filter)) {
      for (const count of readHour(document)) if (count.minute >= since) sums.add(count);
    }
    return sums.all().sort((one, other) => one.minute - other.minute);
  },
});
