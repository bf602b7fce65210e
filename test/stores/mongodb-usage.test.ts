import { expect } from 'chai';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { rejectionOf } from '../support/wait.ts';
import { dayTotal, describeUsageStore, hourTotal } from './usage.conformance.ts';

describe('usage in MongoDB', () => {
  const mongo = useMongo();
  const open = async () => ({
    store: createMongoUsage(mongo.db),
    reader: createUsageReader(createMongoDocuments(mongo.db)),
    close: async () => {},
  });

  describeUsageStore('MongoDB', open);

  it('expires 400 days after its day, 8 days after its hour, and a lock a week after its end', async () => {
    const { store } = await open();
    await store.write({ days: [dayTotal()], hours: [hourTotal({ 0: [1, 0] })] });
    await createMongoIndexes(mongo.db).create();
    for (const [name, expiresAt, expireAfterSeconds] of [
      ['usage', new Date('2027-09-27T00:00:00.000Z'), 0],
      ['usage_minutes', new Date('2026-08-30T13:00:00.000Z'), 0],
      ['leases', undefined, 604_800],
    ] as const) {
      const collection = mongo.db.collection(name);
      expect((await collection.findOne())?.['expires_at'], name).to.deep.equal(expiresAt);
      const expiry = (await collection.listIndexes().toArray()).find(
        (index) => index.name === 'expiry',
      );
      expect(expiry, name).to.deep.include({ key: { expires_at: 1 }, expireAfterSeconds });
    }
  });

  it('names an unreadable document when it rejects', async () => {
    const { reader } = await open();
    await mongo.db
      .collection<{ _id: string }>('usage')
      .insertOne({ _id: 'odd', ...{ day: '2026-08-22' } });
    const rejection = await rejectionOf(reader.loadDays('2026-08-22'));
    expect(rejection).to.match(/^usage: key_id of the document odd cannot be read/);
  });
});
