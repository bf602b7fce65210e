import { expect } from 'chai';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey, readFixtures } from '../support/documents.ts';
import { type DatabaseUnderFault, startDatabaseUnderFault } from '../support/faults/database.ts';
import { isOutage, isServed } from '../support/faults/quotas.ts';
import { createClient } from '../support/gateway-process.ts';
import { countStatuses, type Sample, startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';

const url = '/api/v1/artists';

/** More than the test asks for at 200 a second, so that each detail reads another history. */
const artistCount = 800;
const idOf = (index: number): string => `art_slow${index % artistCount}`;

/** The command `find` on the collection `history`, in BSON. */
const findHistory = Buffer.concat([
  Buffer.from('\x02find\0'),
  Buffer.from([8, 0, 0, 0]),
  Buffer.from('history\0'),
]);

describe('MongoDB that is slow to read histories', () => {
  const cleanup = useCleanup(after);
  let setup: DatabaseUnderFault;
  /** Histories that MongoDB was asked for by requests, other than by the catalogue. */
  let reads = 0;

  before(async () => {
    setup = await cleanup.start(
      startDatabaseUnderFault({
        intervals: { FIXED_NOW: '2026-08-22T12:00:00Z', CATALOGUE_REFRESH_SECONDS: '1' },
        settings: { STORE_TIMEOUT_MS: '3000', USAGE_FLUSH_SECONDS: '1', OPERATIONS_PORT: 'free' },
      }),
    );
    const [artist] = readFixtures().artists;
    const [series] = readFixtures().history;
    const indexes = Array.from({ length: artistCount }, (_, index) => index);
    await setup.db.collection('history').insertMany(
      indexes.map((index) => ({
        artist_id: idOf(index),
        song_id: null,
        metric: 'social_score',
        points: series?.['points'],
      })),
    );
    await setup.db.collection<{ _id: string }>('artists').insertMany(
      indexes.map((index) => ({
        ...artist,
        _id: `slow${index}`,
        id: idOf(index),
        songs: [],
        updated_at: new Date('2026-08-01'),
      })),
    );
    const hasAll = async (): Promise<boolean> => {
      const last = `${url}?id=${idOf(artistCount - 1)}`;
      return (await setup.gateway.get(last, demoKey('qaCurrent'))).body.includes('"count":1');
    };
    await until('the gateway has all artists', hasAll);
  });

  const delayMs = 400;
  /** Delays every read of a history, and counts reads for one artist. */
  const slowDown = (): void =>
    setup.proxy.delayRequests((chunk) => {
      if (!chunk.includes(findHistory)) return 0;
      if (!chunk.includes('$in') && !chunk.includes('limit')) reads += 1;
      return delayMs;
    });

  let index = 0;
  /** Asks for another artist every 5 ms, and for a list every 50 ms. */
  const begin = async () => {
    const [details, others] = [createClient(512), createClient()];
    cleanup.add(details, async ({ end }) => end());
    cleanup.add(others, async ({ end }) => end());
    const headers = { Authorization: `Bearer ${demoKey('qaCurrent')}` };
    const ask = () => details.get(`${setup.gateway.url}${url}/${idOf(index++)}`, headers);
    const list = () => others.get(`${setup.gateway.url}${url}?limit=50`, headers);
    return {
      details: await cleanup.start(startLoad(ask, 5)),
      others: await cleanup.start(startLoad(list, 50)),
    };
  };

  const setRevoked = (change: object) =>
    setup.db.collection<{ _id: string }>('api_keys').updateOne({ _id: 'qaSwitch1' }, change);
  const countDetails = async (): Promise<number> =>
    (await createUsageReader(createMongoDocuments(setup.db)).loadDays('2026-01-01'))
      .filter(({ route }) => route === '/api/v1/artists/:id')
      .reduce((sum, { requests }) => sum + requests, 0);
  const medianMs = (samples: readonly Sample[]): number => {
    const times = samples.map(({ answer }) => answer?.ms ?? Number.POSITIVE_INFINITY);
    return times.toSorted((left, right) => left - right)[times.length >> 1] ?? 0;
  };

  it('delays neither a revocation nor lists nor usage at 190 artists a second', async () => {
    const status = async () =>
      (await setup.gateway.get(`${url}?limit=1`, demoKey('qaSwitch1'))).status;
    await until('the key is accepted', async () => (await status()) === 200);
    const countedBefore = await countDetails();
    slowDown();
    const { details, others } = await begin();
    await until('histories are slow', () => reads > 20);
    const refreshes = () =>
      setup.gateway.metric('gateway_refresh_duration_seconds_count\\{source="keys"\\}');
    const refreshesBefore = await refreshes();
    await setRevoked({ $set: { revoked_at: new Date() } });
    await until('the key is refused', async () => (await status()) === 401);
    // One may have begun before the revocation; one that fails counts too.
    expect((await refreshes()) - refreshesBefore, 'refreshes until then').to.be.within(1, 2);
    const [asked, listed] = [await details.stop(), await others.stop()];
    const served = asked.filter(isServed).length;
    const refused = asked.filter(({ answer }) => answer !== undefined && isOutage(answer)).length;
    expect(served + refused).to.equal(asked.length);
    expect(served).to.be.above(0);
    // MongoDB reads for callers that wait, and for no others. On a busy machine some wait in vain.
    const waited = asked.filter(({ answer }) => (answer?.ms ?? 0) >= delayMs);
    expect(waited.length).to.be.at.least(0.8 * reads);
    expect(countStatuses(listed)).to.match(/^200 × \d+$/);
    expect(medianMs(listed)).to.be.below(medianMs(waited));
    await until(
      'usage is written',
      async () => (await countDetails()) === countedBefore + asked.length,
    );
  });
});
