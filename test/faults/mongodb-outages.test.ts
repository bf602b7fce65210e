import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import {
  type DatabaseUnderFault,
  demoKey,
  faults,
  startDatabaseUnderFault,
} from '../support/faults/database.ts';
import { expectOnlyOutages, isOutage, isVariantOutage } from '../support/faults/quotas.ts';
import type { GatewayProcess } from '../support/gateway-process.ts';
import { countStatuses, type Load, startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';

const current = demoKey('qaCurrent');
const variant = demoKey('qaVariant');
const list = '/api/v1/artists?limit=3';

describe('outages of MongoDB: the gateway', () => {
  const cleanup = useCleanup(after);
  let setup: DatabaseUnderFault;
  const get = (key = current) => setup.gateway.get(list, key);
  const serves = async () => (await get()).status === 200 && (await get(variant)).status === 200;
  const rename = (name: unknown) =>
    setup.db
      .collection('artists')
      .updateOne({ id: 'art_4jt8re' }, { $set: { name, updated_at: new Date() } });

  before(async () => {
    setup = await cleanup.start(
      startDatabaseUnderFault({ settings: { STORE_TIMEOUT_MS: '1000', OPERATIONS_PORT: 'free' } }),
    );
  });
  beforeEach(() => until('the gateway serves', serves));
  /** Asks for a list without an end. */
  const startAsking = (everyMs: number, { get: ask }: Pick<GatewayProcess, 'get'>): Load =>
    cleanup.add(
      startLoad(() => ask(list, current), everyMs),
      ({ stop }) => stop(),
    );

  for (const { name, begin, end } of faults) {
    it(`serves its snapshot until it is too old while ${name}, and recovers`, async () => {
      const asking = startAsking(20, setup.gateway);
      const readAges = () =>
        Promise.all(
          ['keys', 'catalogue'].map((source) =>
            setup.gateway.metric(`gateway_source_age_seconds\\{source="${source}"\\}`),
          ),
        );
      let [startedAt, freshMs] = [0, 0];
      await until('the sources were reloaded lately', async () => {
        startedAt = performance.now();
        freshMs = 4_900 - 1_000 * Math.max(...(await readAges())); // of MAX_STALENESS_SECONDS, 5
        return freshMs > 2_500;
      });
      await begin(setup);
      await until('the snapshot is too old', async () => isOutage(await get()));
      const refusedAfter = performance.now() - startedAt;
      expect(isVariantOutage(await get(variant))).to.equal(true);
      expect((await setup.gateway.get('/api/v1/health')).status).to.equal(200);
      await asking.answered();
      await end(setup);
      await until('the gateway serves again', serves);
      const samples = await asking.stop();
      expectOnlyOutages(samples);
      expect(refusedAfter).to.be.greaterThan(freshMs);
      const whileFresh = samples.flatMap(({ sentAt, answer }) =>
        answer !== undefined && sentAt > startedAt && sentAt + answer.ms - startedAt < freshMs
          ? [answer]
          : [],
      );
      expect(whileFresh).not.to.deep.equal([]);
      const refused = whileFresh.filter(({ status }) => status !== 200);
      expect(refused.map(({ body }) => body)).to.deep.equal([]);
    });
  }

  describe('with a snapshot that does not grow too old', () => {
    const patient = { MAX_STALENESS_SECONDS: '300', KEYS_MAX_STALENESS_SECONDS: '300' };
    let gateway: GatewayProcess;
    before(async () => {
      gateway = await cleanup.start(setup.startAnother(patient));
      await until('it serves', async () => (await gateway.get(list, current)).status === 200);
    });
    const expectServed = async (asking: Load): Promise<void> => {
      const samples = await asking.stop();
      expectOnlyOutages(samples);
      expect(countStatuses(samples)).to.match(/^200 × \d+$/);
    };
    const untilShown = (name: string) =>
      until('a change shows', async () =>
        (await gateway.get('/api/v1/artists?id=art_4jt8re', current)).body.includes(name),
      );

    it('serves without errors while connections are reset', async () => {
      const asking = startAsking(10, gateway);
      const answered = async (count: number): Promise<void> => {
        const enough = asking.samples.length + count;
        await until(`${count} are answered`, () => asking.samples.length >= enough);
      };
      for (let times = 0; times < 5; times++) {
        await answered(20);
        setup.proxy.reset();
      }
      await answered(50);
      await expectServed(asking);
      await rename('After');
      await untilShown('After');
    });

    it('serves without errors over a slow connection, and loads changes later', async () => {
      setup.proxy.delay(800);
      const asking = startAsking(10, gateway);
      await rename('Late');
      await untilShown('Late');
      await expectServed(asking);
      setup.proxy.delay(0);
    });
  });

  it('answers 503 for a history that is neither cached nor readable, and refunds the unit', async () => {
    const detail = (id: string) => setup.gateway.get(`/api/v1/artists/${id}`, current);
    expect((await detail('art_4jt8re')).status).to.equal(200);
    setup.proxy.hold();
    expect((await detail('art_4jt8re')).status).to.equal(200);
    const before = Number((await get()).headers['x-ratelimit-day-remaining']);
    const unread = await detail('art_5hn6ua');
    expect(isOutage(unread)).to.equal(true);
    expect(Number((await get()).headers['x-ratelimit-day-remaining'])).to.equal(before - 1);
    setup.proxy.release();
    await until('it can be read', async () => (await detail('art_5hn6ua')).status === 200);
  });

  it("answers with what can be read of a history, without an ETag, until a song's series is mended", async () => {
    const path = '/api/v1/artists/art_7rf1ly';
    const series = { artist_id: 'art_7rf1ly', song_id: { $ne: null } };
    const stored = await setup.db.collection('history').findOne(series);
    if (stored === null) throw new Error('the artist has a song with a series');
    const set = (points: unknown) =>
      setup.db.collection('history').updateOne({ _id: stored._id }, { $set: { points } });
    const faults = () => setup.gateway.metric('gateway_source_faults\\{source="catalogue"\\}');
    await set('x');
    const another = await cleanup.start(setup.startAnother());
    await until('it has artists', async () => (await another.get(list, current)).status === 200);
    const less = await setup.gateway.get(path, current);
    expect([less.status, less.headers['etag']]).to.deep.equal([200, undefined]);
    await until('the fault is counted', async () => (await faults()) === 1);
    expect((await another.get(path, current)).headers['etag']).to.equal(undefined);
    await set(stored['points']);
    await until(
      'it is read again',
      async () => (await setup.gateway.get(path, current)).headers['etag'] !== undefined,
    );
    await until('no fault is counted', async () => (await faults()) === 0);
    const whole = await setup.gateway.get(path, current);
    expect(whole.body.length).to.be.above(less.body.length);
    await until(
      'the other one has read it too',
      async () => (await another.get(path, current)).headers['etag'] === whole.headers['etag'],
    );
  });

  it('answers a list with history only when every history is cached while MongoDB is frozen', async () => {
    const histories = (limit: number) =>
      setup.gateway.get(`/api/v1/artists?include=history&limit=${limit}`, current);
    const remaining = async () => Number((await get()).headers['x-ratelimit-day-remaining']);
    expect((await histories(5)).status).to.equal(200);
    await setup.mongo.pause();
    const before = await remaining();
    const whole = await histories(5);
    expect([whole.status, JSON.parse(whole.body).data.length]).to.deep.equal([200, 5]);
    const partial = await histories(12);
    expect(isOutage(partial)).to.equal(true);
    expect(await remaining()).to.equal(before - 2);
    const requestLine = () =>
      setup.gateway.lines.find((line) =>
        line.includes(`${partial.headers['x-request-id']}","key"`),
      );
    await until('it is logged', () => requestLine() !== undefined);
    expect(requestLine()).to.include('"status":503');
    await setup.mongo.resume();
    await until('all can be read', async () => (await histories(12)).status === 200);
  });
});
