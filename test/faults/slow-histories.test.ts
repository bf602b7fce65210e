import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { useCleanup } from '../support/cleanup.ts';
import { readFixtures } from '../support/documents.ts';
import {
  type DatabaseUnderFault,
  demoKey,
  startDatabaseUnderFault,
} from '../support/faults/database.ts';
import { isOutage, isServed } from '../support/faults/quotas.ts';
import { createClient } from '../support/gateway-process.ts';
import { allowedMs, expectUndelayed, startLoad } from '../support/load.ts';
import { longestWaitMs, until } from '../support/wait.ts';

const url = '/api/v1/artists';

/** As many as are asked for in 20 s at 190 a second. */
const artistCount = 4_000;
const idOf = (index: number): string => `art_slow${index % artistCount}`;

/** The command `find` on the collection `history`, in BSON. */
const findHistory = Buffer.concat([
  Buffer.from('\x02find\0'),
  Buffer.from([8, 0, 0, 0]),
  Buffer.from('history\0'),
]);

describe('MongoDB that is slow to read histories', function () {
  this.timeout(300_000); // a busy machine takes minutes to load the artists
  const cleanup = useCleanup(afterEach);
  let setup: DatabaseUnderFault;
  /** Histories that MongoDB was asked for by requests, other than by the catalogue. */
  let reads = 0;

  beforeEach(async () => {
    setup = await cleanup.start(
      startDatabaseUnderFault({
        intervals: { FIXED_NOW: '2026-08-22T12:00:00Z', CATALOGUE_REFRESH_SECONDS: '1' },
        settings: { STORE_TIMEOUT_MS: '3000', USAGE_FLUSH_SECONDS: '1' },
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
    await until('the gateway has all artists', hasAll, 2 * longestWaitMs);
    reads = 0;
  });

  /** Delays every read of a history, and counts those of one artist. */
  const slowDown = (delayMs: number): void =>
    setup.proxy.delayRequests((chunk) => {
      if (!chunk.includes(findHistory)) return 0;
      if (!chunk.includes('$in') && !chunk.includes('limit')) reads += 1;
      return delayMs;
    });

  /** Asks for another artist every 5 ms, and for a list every 50 ms. */
  const begin = (everyMs: number) => {
    const [details, others] = [createClient(512), createClient()];
    cleanup.add(details, async ({ end }) => end());
    cleanup.add(others, async ({ end }) => end());
    const headers = { Authorization: `Bearer ${demoKey('qaCurrent')}` };
    let index = 0;
    const ask = () => details.get(`${setup.gateway.url}${url}/${idOf(index++)}`, headers);
    const list = () => others.get(`${setup.gateway.url}${url}?limit=50`, headers);
    return {
      details: cleanup.add(startLoad(ask, everyMs), ({ stop }) => stop()),
      others: cleanup.add(startLoad(list, 50), ({ stop }) => stop()),
    };
  };

  for (const delayMs of [40, 100, 400])
    it(`delays neither a revocation nor other routes nor usage at 190 details a second that take ${delayMs} ms each`, async () => {
      slowDown(delayMs);
      const { details, others } = begin(5);
      await wait(2_000);
      const revoked = demoKey('qaSwitch1');
      const status = async () => (await setup.gateway.get(`${url}?limit=1`, revoked)).status;
      expect(await status()).to.equal(200);
      const revokedAt = performance.now();
      await setup.db
        .collection<{ _id: string }>('api_keys')
        .updateOne({ _id: 'qaSwitch1' }, { $set: { revoked_at: new Date() } });
      await until('the key is refused', async () => (await status()) === 401);
      const ms = performance.now() - revokedAt;
      await wait(1_000);
      const [asked, listed] = [await details.stop(), await others.stop()];
      expect(ms).to.be.below(allowedMs(5_000, listed));
      expectUndelayed(listed);
      const served = asked.filter(isServed).length;
      const refused = asked.filter(({ answer }) => answer !== undefined && isOutage(answer)).length;
      expect(served + refused).to.equal(asked.length);
      // MongoDB reads for callers that wait, and for no others. On a busy machine some wait in vain.
      const waited = asked.filter(({ answer }) => (answer?.ms ?? 0) >= delayMs).length;
      expect(waited).to.be.at.least(0.8 * reads);
      expect(served).to.be.above(0);
      expect(reads).to.be.above(0);
      const countDetails = async () =>
        (await createUsageReader(createMongoDocuments(setup.db)).loadDays('2026-01-01'))
          .filter(({ route }) => route === '/api/v1/artists/:id')
          .reduce((sum, { requests }) => sum + requests, 0);
      await until('usage is written', async () => (await countDetails()) === asked.length);
    });
});
