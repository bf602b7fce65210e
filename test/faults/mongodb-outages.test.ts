import { expect } from 'chai';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey, readFixtures } from '../support/documents.ts';
import {
  type DatabaseUnderFault,
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

/** The key of the requests whose usage is counted. It is used for nothing else. */
const counted = 'qaSwitch1';

describe('outages of MongoDB: the gateway', () => {
  const cleanup = useCleanup(after);
  let setup: DatabaseUnderFault;
  /** A gateway whose snapshot does not become too old. It writes usage every 0.2 s. */
  let patient: GatewayProcess;
  const startPatient = async (flushSeconds: string): Promise<GatewayProcess> => {
    const staleness = { MAX_STALENESS_SECONDS: '300', KEYS_MAX_STALENESS_SECONDS: '300' };
    const settings = { ...staleness, USAGE_FLUSH_SECONDS: flushSeconds };
    const gateway = await cleanup.start(setup.startAnother(settings));
    await until('it serves', async () => (await gateway.ready()).status === 200);
    return gateway;
  };
  const get = (key = current) => setup.gateway.get(list, key);
  const serves = async () => (await get()).status === 200 && (await get(variant)).status === 200;
  const load = (everyMs: number, ask: () => ReturnType<typeof get>): Promise<Load> =>
    cleanup.start(startLoad(ask, everyMs));

  before(async () => {
    setup = await cleanup.start(
      startDatabaseUnderFault({ settings: { STORE_TIMEOUT_MS: '1000', OPERATIONS_PORT: 'free' } }),
    );
    patient = await startPatient('0.2');
  });
  beforeEach(() => until('the gateway serves', serves));
  afterEach(() => {
    setup.mongo.resume();
    setup.proxy.delay(0);
  });

  /** The stored requests of the counted key, formatted like `countStatuses`. */
  const written = async (): Promise<string> => {
    const reader = createUsageReader(createMongoDocuments(setup.db));
    const counts = new Map<number, number>();
    for (const { keyId, status, requests } of await reader.loadDays('2026-01-01'))
      if (keyId === counted) counts.set(status, (counts.get(status) ?? 0) + requests);
    return [...counts].map(([status, requests]) => `${status} × ${requests}`).join(', ');
  };
  const linesOf = ({ lines }: GatewayProcess, event: string) =>
    lines.filter((line) => line.includes(`"${event}"`)).length;

  let sent = 0;
  const askCounted = () => {
    sent += 1;
    return patient.get(list, demoKey(counted));
  };

  for (const [index, { name, begin, end }] of faults.entries())
    it(`serves its snapshot until it is too old, and counts usage once, while ${name}`, async () => {
      const asking = await load(20, get);
      const counting = await load(20, askCounted);
      const readAges = () =>
        Promise.all(
          ['keys', 'catalogue'].map((source) =>
            setup.gateway.metric(`gateway_source_age_seconds\\{source="${source}"\\}`),
          ),
        );
      await until('usage is written', async () => (await written()) !== '');
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
      const { metric } = patient;
      await until(
        'the failed write is logged',
        () => linesOf(patient, 'usage not written (retrying)') === index + 1,
      );
      expect(await metric('gateway_usage_write_errors_total')).to.be.greaterThan(index);
      // a day and an hour
      expect(await metric('gateway_usage_pending_entries')).to.be.at.least(2);
      await Promise.all([asking.answered(), counting.answered()]);
      await end(setup);
      await until('the gateway serves again', serves);
      await until('usage is written', () => linesOf(patient, 'usage written again') === index + 1);
      const samples = await asking.stop();
      expectOnlyOutages(samples);
      expect(refusedAfter).to.be.greaterThan(freshMs);
      const whileFresh = samples.flatMap(({ sentAt, answer }) =>
        answer !== undefined && sentAt > startedAt && sentAt + answer.ms - startedAt < freshMs
          ? [answer.status]
          : [],
      );
      expect(new Set(whileFresh)).to.deep.equal(new Set([200]));

      expect(countStatuses(await counting.stop())).to.match(/^200 × \d+$/);
      const isWritten = async () => (await written()) === `200 × ${sent}`;
      await until('all of it is written', isWritten);
      await askCounted(); // after which several writes have ended
      await until('one more is written', isWritten);
      expect(linesOf(patient, 'usage not written (retrying)')).to.equal(index + 1);
      const isPending = async () => (await metric('gateway_usage_pending_entries')) > 0;
      await until('nothing is pending', async () => !(await isPending()));
      expect(await metric('gateway_usage_uncounted_total')).to.equal(0);
    });

  const rename = (name: unknown) =>
    setup.db
      .collection('artists')
      .updateOne({ id: 'art_4jt8re' }, { $set: { name, updated_at: new Date() } });
  const untilShown = (name: string) =>
    until('a change shows', async () =>
      (await patient.get('/api/v1/artists?id=art_4jt8re', current)).body.includes(name),
    );

  it('serves without errors while connections are reset or slow, and loads changes later', async () => {
    const asking = await load(10, () => patient.get(list, current));
    for (let times = 0; times < 5; times++) {
      await asking.more(20);
      setup.proxy.reset();
    }
    await asking.more(50);
    await rename('After');
    await untilShown('After');
    setup.proxy.delay(800);
    await rename('Late');
    await untilShown('Late');
    const samples = await asking.stop();
    expectOnlyOutages(samples);
    expect(countStatuses(samples)).to.match(/^200 × \d+$/);
  });

  it('returns cached histories only, and refunds requests for others, while MongoDB is frozen', async () => {
    const artist = (id: string) => patient.get(`/api/v1/artists/${id}`, current);
    const histories = (limit: number) =>
      patient.get(`/api/v1/artists?include=history&limit=${limit}`, current);
    const remaining = async () =>
      Number((await patient.get(list, current)).headers['x-ratelimit-day-remaining']);
    expect((await histories(5)).status).to.equal(200);
    expect((await artist('art_4jt8re')).status).to.equal(200);
    const { body } = await patient.get('/api/v1/artists?limit=12', current);
    const { id: unread } = JSON.parse(body).data[11];
    setup.mongo.pause();
    const before = await remaining();
    expect((await artist('art_4jt8re')).status).to.equal(200);
    const whole = await histories(5);
    expect([whole.status, JSON.parse(whole.body).data.length]).to.deep.equal([200, 5]);
    const partial = await histories(12);
    expect([isOutage(partial), isOutage(await artist(unread))]).to.deep.equal([true, true]);
    expect(await remaining()).to.equal(before - 3);
    const isLogged = () =>
      patient.hasLogged(`${partial.headers['x-request-id']}","key"`, '"status":503');
    await until('it is logged', isLogged);
    setup.mongo.resume();
    await until('all can be read', async () => (await histories(12)).status === 200);
  });

  it('writes all usage on Ctrl-C to a slow database', async () => {
    const stopping = await startPatient('600');
    const paths = [
      '/artists?limit=1',
      '/artists?limit=x',
      '/artists/nobody',
      '/spikes',
      '/signings',
      '/added',
    ];
    const before = await written();
    for (let times = 0; times < 20; times++)
      await stopping.get('/api/v1/signings', demoKey(counted));
    for (const { _id } of readFixtures().api_keys.filter((key) => key['_id'] !== counted))
      await Promise.all(
        paths.map((path) => stopping.get(`/api/v1${path}`, demoKey(String(_id))).catch(() => {})),
      );
    // more than one batch
    expect(await stopping.metric('gateway_usage_pending_entries')).to.be.above(50);
    expect(await written()).to.equal(before);
    setup.proxy.delay(500);
    stopping.signal('SIGINT');
    expect(await stopping.exit).to.deep.equal({ code: 0, signal: null });
    expect(linesOf(stopping, 'usage lost at shutdown')).to.equal(0);
    expect(await written()).to.equal(`200 × ${sent + 20}`);
  });

  it('exits on SIGTERM and logs lost usage while MongoDB is paused', async () => {
    const stopping = await startPatient('600');
    await stopping.get(list, current);
    setup.mongo.pause();
    stopping.signal('SIGTERM');
    expect(await stopping.exit).to.deep.equal({ code: 0, signal: null });
    expect(linesOf(stopping, 'usage lost at shutdown')).to.equal(1);
  });
});
