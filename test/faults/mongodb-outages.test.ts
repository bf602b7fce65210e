import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { buildArtist } from '../support/builders.ts';
import { readFixtures } from '../support/documents.ts';
import { type DatabaseUnderFault, demoKey, faults, startDatabaseUnderFault } from '../support/faults/database.ts';
import type { Answer } from '../support/gateway-process.ts';
import { countStatuses, type Load, type Sample, startLoad } from '../support/load.ts';
import { createMemoryLog } from '../support/log.ts';
import { until } from '../support/wait.ts';

/** Milliseconds. A reply may be slow on a busy machine; a later one counts as a hang of the gateway. */
const hangMs = 3_000;

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
    expect(answer?.ms).to.be.lessThan(hangMs);
  }
};

describe('outages of MongoDB: the gateway', () => {
  let setup: DatabaseUnderFault;
  let load: Load | undefined;
  const get = (key = current) => setup.gateway.get(list, key);
  const serves = async () => (await get()).status === 200 && (await get(variant)).status === 200;
  const rename = (name: unknown) =>
    setup.db.collection('artists').updateOne({ id: 'art_4jt8re' }, { $set: { name, updated_at: new Date() } });
  const shows = (name: string) => async () =>
    (await setup.gateway.get('/api/v1/artists?id=art_4jt8re', current)).body.includes(name);

  beforeEach(async () => {
    setup = await startDatabaseUnderFault({ settings: { STORE_TIMEOUT_MS: '1000' } });
    await until('the gateway serves', serves);
  });
  afterEach(async () => {
    await load?.stop();
    await setup.stop();
  });

  for (const { name, begin, end } of faults) {
    it(`serves its snapshot until it is too old while ${name}, and recovers`, async () => {
      load = startLoad(() => get(), 20);
      const startedAt = performance.now();
      await begin(setup);
      await until('the snapshot is too old', async () => isUnavailable(await get(), 'current'));
      const refusedAfter = performance.now() - startedAt;
      expect(isUnavailable(await get(variant), 'variant')).to.equal(true);
      expect((await setup.gateway.get('/api/v1/health')).status).to.equal(200);
      await end(setup);
      await until('the gateway serves again', serves, 10_000);
      const samples = await load.stop();
      expectNoHang(samples);
      expect(refusedAfter).to.be.greaterThan(4_000);
      const fresh = samples.filter(({ sentAt }) => sentAt - startedAt < 4_000);
      expect(fresh.every(({ answer }) => answer?.status === 200)).to.equal(true);
      expect(
        samples.every(({ answer }) => answer?.status === 200 || (answer && isUnavailable(answer, 'current'))),
      ).to.equal(true);
    });
  }

  it('serves without errors while connections are reset', async () => {
    load = startLoad(() => get(), 10);
    for (let times = 0; times < 5; times++) {
      await wait(300);
      setup.proxy.reset();
    }
    await wait(1_000);
    const samples = await load.stop();
    expectNoHang(samples);
    expect(countStatuses(samples)).to.match(/^200 × \d+$/);
    await rename('After');
    await until('a change shows', shows('After'));
  });

  it('serves without errors over a slow connection, and loads changes later', async () => {
    setup.proxy.delay(800);
    load = startLoad(() => get(), 10);
    await rename('Late');
    await until('a change shows', shows('Late'), 20_000);
    const samples = await load.stop();
    expectNoHang(samples);
    expect(countStatuses(samples)).to.match(/^200 × \d+$/);
  });

  it('serves the last artists when the collection is emptied, until an artist appears', async () => {
    const count = async () =>
      JSON.parse((await setup.gateway.get('/api/v1/artists?limit=100', current)).body).meta.count;
    await setup.db.collection('artists').deleteMany({});
    await until('it is reported', () => setup.gateway.hasLogged('collection empty, serving the last copy'));
    await wait(6_000); // longer than the maximum staleness of a snapshot
    expect(await count()).to.equal(12);
    const [first] = readFixtures().artists;
    await setup.db.collection('artists').insertMany([{ ...first, updated_at: new Date() }]);
    await until('only the new artist is listed', async () => (await count()) === 1);
  });

  it('answers 503 for a history that is neither cached nor readable, and refunds the unit', async () => {
    const detail = (id: string) => setup.gateway.get(`/api/v1/artists/${id}`, current);
    expect((await detail('art_4jt8re')).status).to.equal(200);
    setup.proxy.hold();
    expect((await detail('art_4jt8re')).status).to.equal(200);
    const before = Number((await get()).headers['x-ratelimit-day-remaining']);
    const unread = await detail('art_5hn6ua');
    expect(isUnavailable(unread, 'current')).to.equal(true);
    expect(unread.ms).to.be.lessThan(hangMs);
    expect(Number((await get()).headers['x-ratelimit-day-remaining'])).to.equal(before - 1);
    setup.proxy.release();
    await until('it can be read', async () => (await detail('art_5hn6ua')).status === 200);
  });

  it('answers a list with history only when every history is cached while MongoDB is frozen', async () => {
    const histories = (limit: number) => setup.gateway.get(`/api/v1/artists?include=history&limit=${limit}`, current);
    const remaining = async () => Number((await get()).headers['x-ratelimit-day-remaining']);
    expect((await histories(5)).status).to.equal(200);
    await setup.mongo.pause();
    const before = await remaining();
    const whole = await histories(5);
    expect([whole.status, JSON.parse(whole.body).data.length]).to.deep.equal([200, 5]);
    const partial = await histories(12);
    expect(isUnavailable(partial, 'current')).to.equal(true);
    expect(partial.headers['retry-after']).to.match(/^[1-9]\d*$/);
    expect(partial.ms).to.be.lessThan(hangMs);
    expect(await remaining()).to.equal(before - 2);
    const requestLine = () =>
      setup.gateway.lines.find((line) => line.includes(`${partial.headers['x-request-id']}","key"`));
    await until('it is logged', () => requestLine() !== undefined);
    expect(requestLine()).to.include('"status":503');
    await setup.mongo.resume();
    await until('all can be read', async () => (await histories(12)).status === 200);
  });
});

describe('MongoDB with random latency', () => {
  it('never mixes up the histories of artists', async () => {
    const setup = await startDatabaseUnderFault();
    const { db, close } = openMongo(setup.mongo.url('gateway', setup.proxy.port));
    try {
      const ids = [...new Set(readFixtures().history.map((series) => String(series['artist_id'])))];
      const histories = createMongoHistory(db, { timeoutMs: 60, log: createMemoryLog() });
      await histories.read(buildArtist({ id: ids[0] ?? '' })).catch(() => {}); // connects
      setup.proxy.delay(() => Math.random() * 100);
      const counts = { read: 0, late: 0 };
      for (let round = 0; round < 150; round++) {
        const reads = [0, 1, 2].map(async (offset) => {
          const id = ids[(round + offset) % ids.length] ?? '';
          const history = await histories.read(buildArtist({ id, updatedAt: round })).catch(() => undefined);
          if (history === undefined) counts.late += 1;
          else counts.read += 1;
          for (const { artistId } of history?.series ?? []) expect(artistId).to.equal(id);
        });
        await Promise.all(reads);
      }
      expect(counts.read).to.be.greaterThan(50);
      expect(counts.late).to.be.greaterThan(50);
    } finally {
      await close();
      await setup.stop();
    }
  });
});
