import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { addDays } from '../../src/domain/day.ts';
import { dayTotal, hourTotal } from '../stores/usage.conformance.ts';
import { createCleanup } from '../support/cleanup.ts';
import { startMongoProcess } from '../support/mongo-server.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { until } from '../support/wait.ts';

const execute = promisify(execFile);
const racer = fileURLToPath(new URL('../support/faults/take-lease.mjs', import.meta.url));
const dayMs = 86_400_000;

describe('what expires in MongoDB', function () {
  this.timeout(120_000);
  const mongo = useMongo();
  const idsIn = async (name: string) =>
    (await mongo.db.collection(name).find({}).toArray()).map(({ _id }) => String(_id)).sort();

  it('vanishes: usage of a day after 400 days, of an hour after 8, a lock an hour after its last renewal', async () => {
    const now = Date.now();
    const dayAgo = (days: number) => addDays(new Date(now).toISOString().slice(0, 10), -days);
    await createMongoIndexes(mongo.db).create();
    await createMongoUsage(mongo.db).write({
      days: [dayTotal({ id: 'kept', day: dayAgo(398) }), dayTotal({ id: 'gone', day: dayAgo(402) })],
      hours: [
        hourTotal({ 0: [1, 0] }, { id: 'kept', hour: now - 7 * dayMs }),
        hourTotal({ 0: [1, 0] }, { id: 'gone', hour: now - 9 * dayMs }),
      ],
    });
    const expiredFor = (minutes: number) => new Date(now - minutes * 60_000);
    await mongo.db.collection<{ _id: string }>('leases').insertMany([
      { _id: 'kept', ...{ expires_at: expiredFor(30) } },
      { _id: 'gone', ...{ expires_at: expiredFor(61) } },
    ]);
    for (const name of ['usage', 'usage_minutes', 'leases'])
      await until(`${name} is swept`, async () => !(await idsIn(name)).includes('gone'), 90_000);
    for (const name of ['usage', 'usage_minutes', 'leases']) expect(await idsIn(name), name).to.deep.equal(['kept']);
  });
});

describe('a lock that expired', function () {
  this.timeout(120_000);
  const cleanup = createCleanup();
  afterEach(() => cleanup.run());

  it('is taken by one of 24 processes that try at the same time', async () => {
    const server = await cleanup.start(startMongoProcess());
    const url = server.url('race');
    const { db } = cleanup.add(openMongo(url), ({ close }) => close());
    const names = Array.from({ length: 8 }, (_, index) => `race ${index}`);
    const expires_at = new Date(Date.now() - 1_000);
    await db.collection<{ _id: string }>('leases').insertMany(names.map((_id) => ({ _id, token: 'dead', expires_at })));
    const startAt = String(Date.now() + 25_000); // 24 processes start one after the other on a busy machine
    const runs = await Promise.all(
      Array.from({ length: 24 }, () =>
        execute(process.execPath, [racer, url, startAt, ...names], { timeout: 100_000 }),
      ),
    );
    const taken = runs.flatMap(({ stdout }): string[] => JSON.parse(stdout).got);
    expect(taken.sort()).to.deep.equal(names);
  });
});
