import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type MongoConnection, openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { createMongoUsage, createMongoUsageReader } from '../../adapters/stores/mongodb/usage.ts';
import type { DayTotal, HourTotal } from '../../src/domain/usage.ts';
import type { UsageStore } from '../../src/ports.ts';
import { type MongoServer, startMongoServer } from '../support/mongo-server.ts';
import { rejectionOf } from '../support/wait.ts';

const noon = Date.parse('2026-08-22T12:00:00Z');
const minuteMs = 60_000;

const dayTotal = (given: Partial<DayTotal> = {}): DayTotal => ({
  id: 'one:1',
  day: '2026-08-22',
  keyId: 'key1',
  organizationId: 'acme',
  form: 'variant',
  route: '/api/v1/artists',
  status: 200,
  requests: 3,
  uses: { new: 2, 'fields=basic': 1, 'limit>100': 1 },
  lastAt: noon,
  ...given,
});

const hourTotal = (minutes: Record<number, readonly [number, number]>, given: Partial<HourTotal> = {}): HourTotal => {
  const counted = Object.entries(minutes).map(
    ([minute, [requests, refused]]) => [Number(minute), { requests, refused }] as const,
  );
  const requests = counted.reduce((sum, [, minute]) => sum + minute.requests, 0);
  return {
    id: 'one:2',
    keyId: 'key1',
    organizationId: 'acme',
    hour: noon,
    requests,
    minutes: new Map(counted),
    ...given,
  };
};

describe('usage in MongoDB', () => {
  let server: MongoServer;
  let connection: MongoConnection;
  let store: UsageStore;

  before(async () => {
    server = await startMongoServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    connection = openMongo(server.url(`gateway_${randomUUID().slice(0, 8)}`));
    store = createMongoUsage(connection.db);
  });
  afterEach(() => connection.close());

  const writeDays = (...days: DayTotal[]) => store.write({ days, hours: [] });
  const writeHours = (...hours: HourTotal[]) => store.write({ days: [], hours });
  const counted = ({ id: _id, ...count }: DayTotal) => count;

  it('is read as it was written, also without a route', async () => {
    const nowhere = dayTotal({ id: 'one:2', route: undefined, status: 404, uses: {} });
    await writeDays(dayTotal(), nowhere);
    expect(await createMongoUsageReader(connection.db).loadDays('2026-08-22')).to.have.deep.members([
      counted(dayTotal()),
      counted(nowhere),
    ]);
  });

  it('replaces a lower total, and may be written repeatedly', async () => {
    await writeDays(dayTotal({ requests: 1 }));
    await writeDays(dayTotal());
    await writeDays(dayTotal());
    expect(await createMongoUsageReader(connection.db).loadDays('2026-08-22')).to.deep.equal([counted(dayTotal())]);
  });

  it('never replaces a higher total, even when the server executes an abandoned write late', async () => {
    await writeDays(dayTotal());
    expect(await rejectionOf(writeDays(dayTotal({ requests: 1 })))).to.match(/duplicate|E11000/i);
    expect(await createMongoUsageReader(connection.db).loadDays('2026-08-22')).to.deep.equal([counted(dayTotal())]);
  });

  it('is summed over processes', async () => {
    const other = dayTotal({ id: 'two:1', requests: 4, uses: { new: 1, signed: 2 }, lastAt: noon + 5 });
    await writeDays(dayTotal(), other, dayTotal({ id: 'two:2', status: 429, uses: {} }));
    expect(await createMongoUsageReader(connection.db).loadDays('2026-08-22')).to.have.deep.members([
      counted(
        dayTotal({
          requests: 7,
          uses: { new: 3, 'fields=basic': 1, 'limit>100': 1, signed: 2 },
          lastAt: noon + 5,
        }),
      ),
      counted(dayTotal({ status: 429, uses: {} })),
    ]);
  });

  it('is read from a day on in order, of one organization or of all', async () => {
    const days = [
      dayTotal({ id: 'one:1', day: '2026-08-23' }),
      dayTotal({ id: 'one:2', day: '2026-08-22', organizationId: 'other' }),
      dayTotal({ id: 'one:3', day: '2026-08-21' }),
    ];
    await writeDays(...days);
    const read = async (...asked: [string, string?]) =>
      (await createMongoUsageReader(connection.db).loadDays(...asked)).map(({ day }) => day);
    expect(await read('2026-08-21')).to.deep.equal(['2026-08-21', '2026-08-22', '2026-08-23']);
    expect(await read('2026-08-22')).to.deep.equal(['2026-08-22', '2026-08-23']);
    expect(await read('2026-08-21', 'acme')).to.deep.equal(['2026-08-21', '2026-08-23']);
  });

  it('is summed by the minute, from an instant on, in order', async () => {
    await writeHours(
      hourTotal({ 0: [2, 0], 30: [12, 2] }),
      hourTotal({ 30: [3, 1], 59: [1, 0] }, { id: 'two:1' }),
      hourTotal({ 30: [5, 5] }, { id: 'two:2', keyId: 'key2' }),
      hourTotal({ 5: [1, 0] }, { id: 'two:3', hour: noon - 60 * minuteMs }),
      hourTotal({ 30: [9, 9] }, { id: 'two:4', organizationId: 'other' }),
    );
    const at = (minute: number, requests: number, refused: number, keyId = 'key1') => ({
      keyId,
      organizationId: 'acme',
      minute: noon + minute * minuteMs,
      requests,
      refused,
    });
    const later = [at(30, 15, 3), at(30, 5, 5, 'key2'), at(59, 1, 0)];
    expect(await createMongoUsageReader(connection.db).loadMinutes('acme', noon + minuteMs)).to.deep.equal(later);
    expect(await createMongoUsageReader(connection.db).loadMinutes('acme', 0)).to.deep.equal([
      at(-55, 1, 0),
      at(0, 2, 0),
      ...later,
    ]);
  });

  it('expires by the clock of MongoDB: 400 days after its day, 8 days after its hour', async () => {
    await writeDays(dayTotal());
    await writeHours(hourTotal({ 0: [1, 0] }));
    await createIndexes(connection.db);
    const expected = { usage: '2027-09-27T00:00:00.000Z', usage_minutes: '2026-08-30T13:00:00.000Z' };
    for (const [name, expiresAt] of Object.entries(expected)) {
      const collection = connection.db.collection(name);
      expect((await collection.findOne())?.['expires_at']).to.deep.equal(new Date(expiresAt));
      const expiry = (await collection.listIndexes().toArray()).find((index) => index.name === 'expiry');
      expect(expiry).to.deep.include({ key: { expires_at: 1 }, expireAfterSeconds: 0 });
    }
  });

  it('names an unreadable document when it rejects', async () => {
    await connection.db.collection<{ _id: string }>('usage').insertOne({ _id: 'odd', ...{ day: '2026-08-22' } });
    const rejection = await rejectionOf(createMongoUsageReader(connection.db).loadDays('2026-08-22'));
    expect(rejection).to.match(/^usage: key_id of the document odd cannot be read/);
  });
});
