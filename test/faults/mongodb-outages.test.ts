import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/history.ts';
import { buildArtist } from '../support/builders.ts';
import { readFixtures } from '../support/documents.ts';
import { type DatabaseUnderFault, demoKey, faults, startDatabaseUnderFault } from '../support/faults/database.ts';
import type { Answer } from '../support/gateway-process.ts';
import { countStatuses, type Load, type Sample, startLoad } from '../support/load.ts';
import { createMemoryLog } from '../support/log.ts';
import { until } from '../support/wait.ts';

/** A reply may be slow on a busy machine; one that never comes is a fault of the gateway. */
const hang = 3_000;

const current = demoKey('qaCurrent');
const variant = demoKey('qaVariant');
const list = '/api/v1/artists?limit=3';

const isUnavailable = ({ status, body }: Answer, form: 'current' | 'variant'): boolean => {
  const parsed: unknown = JSON.parse(body);
  return form === 'current'
    ? status === 503 && JSON.stringify(parsed).startsWith('{"error":{"code":"service_unavailable"')
    : status === 500 && JSON.stringify(parsed).startsWith('{"error":"server_error"');
};

const expectNoHang = (samples: readonly Sample[]): void => {
  expect(samples.length).to.be.greaterThan(10);
  for (const { answer } of samples) {
    expect(answer, 'a request without an answer').not.to.equal(undefined);
    expect(answer?.ms).to.be.lessThan(hang);
  }
};

describe('when MongoDB fails', () => {
  let world: DatabaseUnderFault;
  let load: Load | undefined;
  const get = (key = current) => world.gateway.get(list, key);
  const serves = async () => (await get()).status === 200 && (await get(variant)).status === 200;

  beforeEach(async () => {
    world = await startDatabaseUnderFault();
    await until('the gateway serves', serves);
  });
  afterEach(async () => {
    await load?.stop();
    await world.stop();
  });

  for (const { name, begin, end } of faults) {
    it(`serves its last copy while ${name}, refuses once that is too old, and recovers`, async function () {
      this.timeout(60_000);
      load = startLoad(() => get(), 20);
      const began = performance.now();
      await begin(world);
      await until('the copy is too old', async () => isUnavailable(await get(), 'current'), 15_000);
      const refusedAfter = performance.now() - began;
      expect(isUnavailable(await get(variant), 'variant')).to.equal(true);
      expect((await world.gateway.get('/api/v1/health')).status).to.equal(200);
      await end(world);
      const mended = performance.now();
      await until('the gateway serves again', serves, 10_000);
      const recovered = performance.now() - mended;
      const samples = await load.stop();
      expectNoHang(samples);
      expect(refusedAfter).to.be.greaterThan(4_000);
      const fresh = samples.filter(({ sentAt }) => sentAt - began < 4_000);
      expect(fresh.every(({ answer }) => answer?.status === 200)).to.equal(true);
      expect(
        samples.every(({ answer }) => answer?.status === 200 || (answer && isUnavailable(answer, 'current'))),
      ).to.equal(true);
      console.log(
        `      ${countStatuses(samples)}; refused after ${Math.round(refusedAfter)} ms, back ${Math.round(recovered)} ms after the end`,
      );
    });
  }

  it('does not notice connections that are reset', async function () {
    this.timeout(30_000);
    load = startLoad(() => get(), 10);
    for (let times = 0; times < 5; times++) {
      await wait(300);
      world.proxy.reset();
    }
    await wait(1_000);
    const samples = await load.stop();
    expectNoHang(samples);
    expect(countStatuses(samples)).to.match(/^200 × \d+$/);
    await world.db
      .collection('artists')
      .updateOne({ id: 'art_4jt8re' }, { $set: { name: 'After', updated_at: new Date() } });
    await until('a change shows', async () =>
      (await world.gateway.get('/api/v1/artists?id=art_4jt8re', current)).body.includes('After'),
    );
  });

  it('does not notice a slow server, except that changes show later', async function () {
    this.timeout(30_000);
    world.proxy.delay(800);
    load = startLoad(() => get(), 10);
    await world.db
      .collection('artists')
      .updateOne({ id: 'art_4jt8re' }, { $set: { name: 'Late', updated_at: new Date() } });
    await until(
      'a change shows',
      async () => (await world.gateway.get('/api/v1/artists?id=art_4jt8re', current)).body.includes('Late'),
      20_000,
    );
    const samples = await load.stop();
    expectNoHang(samples);
    expect(countStatuses(samples)).to.match(/^200 × \d+$/);
  });

  it('serves on without the documents that go bad, and shows nothing of them', async () => {
    const artists = world.db.collection('artists');
    await artists.updateOne({ id: 'art_4jt8re' }, { $set: { name: 5, updated_at: new Date() } });
    await artists.updateOne(
      { id: 'art_9bk2fs' },
      { $set: { metrics: { monthly_listeners: Number.NaN }, updated_at: new Date() } },
    );
    const all = () => world.gateway.get('/api/v1/artists?limit=100', current);
    await until('both are left out', async () => JSON.parse((await all()).body).meta.count === 10);
    expect((await all()).body).not.to.match(/NaN|"high"|\$number|:null(?!,"generated_at)/);
    const reports = () => world.gateway.lines.filter((line) => line.includes('document left out')).length;
    await until('both are reported', () => reports() === 2);
  });

  it('keeps the last copy of a collection that is suddenly empty, until an artist appears', async function () {
    this.timeout(30_000);
    const count = async () =>
      JSON.parse((await world.gateway.get('/api/v1/artists?limit=100', current)).body).meta.count;
    await world.db.collection('artists').deleteMany({});
    await until('it is reported', () =>
      world.gateway.lines.some((line) => line.includes('collection of artists is empty')),
    );
    await wait(6_000); // longer than a copy would be relied on without an answer
    expect(await count()).to.equal(12);
    const [first] = readFixtures().artists;
    await world.db.collection('artists').insertMany([{ ...first, updated_at: new Date() }]);
    await until('the artist is all there is', async () => (await count()) === 1);
  });

  it('refuses a history that is neither kept nor readable, and gives the unit back', async function () {
    this.timeout(30_000);
    const detail = (id: string) => world.gateway.get(`/api/v1/artists/${id}`, current);
    expect((await detail('art_4jt8re')).status).to.equal(200);
    world.proxy.hold();
    expect((await detail('art_4jt8re')).status).to.equal(200);
    const before = Number((await get()).headers['x-ratelimit-day-remaining']);
    const unread = await detail('art_5hn6ua');
    expect(isUnavailable(unread, 'current')).to.equal(true);
    expect(unread.ms).to.be.lessThan(hang);
    expect(Number((await get()).headers['x-ratelimit-day-remaining'])).to.equal(before - 1);
    world.proxy.release();
    await until('it can be read', async () => (await detail('art_5hn6ua')).status === 200);
  });
});

describe('when MongoDB is not there at the start', () => {
  it('listens, answers health, says 503 to everybody, and serves once the database is there', async function () {
    this.timeout(30_000);
    const world = await startDatabaseUnderFault({ isRunning: false });
    try {
      const answers = [await world.gateway.get(list, current), await world.gateway.get(list, variant)];
      for (const answer of answers) expect(isUnavailable(answer, 'current')).to.equal(true);
      expect((await world.gateway.get(list)).status).to.equal(401);
      expect((await world.gateway.get('/api/v1/health')).status).to.equal(200);
      world.proxy.hold();
      await world.mongo.restart();
      await world.fill();
      world.proxy.release();
      await until('the gateway serves', async () => (await world.gateway.get(list, variant)).status === 200);
    } finally {
      await world.stop();
    }
  });
});

describe('when MongoDB answers at random times', () => {
  it('never takes the history of one artist for that of another', async function () {
    this.timeout(60_000);
    const world = await startDatabaseUnderFault();
    const { db, close } = openMongo(world.mongo.url('gateway', world.proxy.port));
    try {
      const ids = [...new Set(readFixtures().history.map((series) => String(series['artist_id'])))];
      const histories = createMongoHistory(db, { timeoutMs: 60, log: createMemoryLog() });
      await histories.read(buildArtist({ id: ids[0] ?? '' })).catch(() => {}); // connects
      world.proxy.delay(() => Math.random() * 100);
      const counts = { read: 0, late: 0 };
      for (let round = 0; round < 150; round++) {
        const reads = [0, 1, 2].map(async (place) => {
          const id = ids[(round + place) % ids.length] ?? '';
          const history = await histories.read(buildArtist({ id, updatedAt: round })).catch(() => undefined);
          if (history === undefined) counts.late += 1;
          else counts.read += 1;
          for (const { artistId } of history?.series ?? []) expect(artistId).to.equal(id);
        });
        await Promise.all(reads);
      }
      console.log(`      ${counts.read} histories read, ${counts.late} too late, none of a wrong artist`);
      expect(counts.read).to.be.greaterThan(50);
      expect(counts.late).to.be.greaterThan(50);
    } finally {
      await close();
      await world.stop();
    }
  });
});
