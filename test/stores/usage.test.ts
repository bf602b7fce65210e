import { expect } from 'chai';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import type { DayTotal, HourTotal } from '../../src/domain/usage.ts';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { dayTotal, hourTotal } from '../support/usage.ts';
import { rejectionOf } from '../support/wait.ts';

const noon = Date.parse('2026-08-22T12:00:00Z');

describe('usage in MongoDB', () => {
  const mongo = useMongo();
  const writeDays = (...days: DayTotal[]) => createMongoUsage(mongo.db).write({ days, hours: [] });
  const writeHours = (...hours: HourTotal[]) =>
    createMongoUsage(mongo.db).write({ days: [], hours });
  const readDays = (from = '2026-08-22', organization?: string) =>
    createUsageReader(createMongoDocuments(mongo.db)).loadDays(from, organization);
  const counted = ({ id: _id, ...count }: DayTotal) => count;

  it('reads days as they were written, even without a route', async () => {
    const nowhere = dayTotal({ id: 'one:2', route: undefined, status: 404, uses: {} });
    await writeDays(dayTotal(), nowhere);
    expect(await readDays()).to.have.deep.members([dayTotal(), nowhere].map(counted));
  });

  it('replaces a lower total, and never a higher one', async () => {
    for (const total of [dayTotal({ requests: 1 }), dayTotal(), dayTotal()]) await writeDays(total);
    expect(await readDays()).to.deep.equal([counted(dayTotal())]);
    await writeDays(dayTotal({ requests: 1 })).catch(() => {}); // it may also reject
    expect(await readDays()).to.deep.equal([counted(dayTotal())]);
  });

  it('sums days of several processes', async () => {
    const lastAt = noon + 5;
    const refused = dayTotal({ id: 'two:2', status: 429, uses: {} });
    const uses = { new: 1, signed: 2 };
    await writeDays(dayTotal(), dayTotal({ id: 'two:1', requests: 4, uses, lastAt }), refused);
    const sum = { new: 3, 'fields=basic': 1, 'limit>100': 1, signed: 2 };
    const expected = [dayTotal({ requests: 7, uses: sum, lastAt }), refused];
    expect(await readDays()).to.have.deep.members(expected.map(counted));
  });

  it('reads days from a day on in order, of one organization or of all', async () => {
    await writeDays(
      dayTotal({ id: 'one:1', day: '2026-08-23' }),
      dayTotal({ id: 'one:2', organizationId: 'other' }),
      dayTotal({ id: 'one:3', day: '2026-08-21' }),
    );
    for (const [from, organization, ...days] of [
      ['2026-08-21', undefined, '2026-08-21', '2026-08-22', '2026-08-23'],
      ['2026-08-22', undefined, '2026-08-22', '2026-08-23'],
      ['2026-08-21', 'acme', '2026-08-21', '2026-08-23'],
    ] as const)
      expect((await readDays(from, organization)).map(({ day }) => day)).to.deep.equal(days);
  });

  it('sums minutes of an organization from a time on, in order', async () => {
    await writeHours(
      hourTotal({ 0: [2, 0], 30: [12, 2] }),
      hourTotal({ 30: [3, 1], 59: [1, 0] }, { id: 'two:1' }),
      hourTotal({ 30: [5, 5] }, { id: 'two:2', keyId: 'key2' }),
      hourTotal({ 5: [1, 0] }, { id: 'two:3', hour: noon - 3_600_000 }),
      hourTotal({ 30: [9, 9] }, { id: 'two:4', organizationId: 'other' }),
    );
    const at = (minute: number, requests: number, refused: number, keyId = 'key1') => ({
      ...{ keyId, organizationId: 'acme', minute: noon + minute * 60_000, requests, refused },
    });
    const later = [at(30, 15, 3), at(30, 5, 5, 'key2'), at(59, 1, 0)];
    const { loadMinutes } = createUsageReader(createMongoDocuments(mongo.db));
    expect(await loadMinutes('acme', noon + 60_000)).to.deep.equal(later);
    expect(await loadMinutes('acme', 0)).to.deep.equal([at(-55, 1, 0), at(0, 2, 0), ...later]);
  });

  it('expires a day after 400 days, an hour after 8 days, and a lease after a week', async () => {
    await writeDays(dayTotal());
    await writeHours(hourTotal({ 0: [1, 0] }));
    await createMongoIndexes(mongo.db).create();
    for (const [name, expiresAt, expireAfterSeconds] of [
      ['usage', new Date('2027-09-27T00:00:00.000Z'), 0],
      ['usage_minutes', new Date('2026-08-30T13:00:00.000Z'), 0],
      ['leases', undefined, 604_800],
    ] as const) {
      const collection = mongo.db.collection(name);
      expect((await collection.findOne())?.['expires_at'], name).to.deep.equal(expiresAt);
      const indexes = await collection.listIndexes().toArray();
      const expiry = { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds };
      expect(indexes.at(-1), name).to.deep.include(expiry);
    }
  });

  it('names the document that it cannot read', async () => {
    await mongo.db
      .collection<{ _id: string; day: string }>('usage')
      .insertOne({ _id: 'odd', day: '2026-08-22' });
    expect(await rejectionOf(readDays())).to.match(
      /^usage: key_id of the document odd cannot be read/,
    );
  });
});
