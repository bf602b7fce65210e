import { expect } from 'chai';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { addDays } from '../../src/domain/day.ts';
import { useCleanup } from '../support/cleanup.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';
import { createMemoryLog } from '../support/log.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

const id = 'art_4jt8re';

describe('a series of MongoDB that is mended without its artist', () => {
  const mongo = useMongo();
  const cleanup = useCleanup(afterEach);

  const open = async () => {
    const { load } = createMongoCatalogue(mongo.db);
    const { read } = createMongoHistory(mongo.db, { timeoutMs: 5_000, log: createMemoryLog() });
    const gateway = cleanup.add(
      await createTestGateway({ source: { load, read }, settings: { BODY_CACHE_MB: '1' } }),
      ({ close }) => close(),
    );
    const get = (path: string, headers = {}) =>
      gateway.get(`/api/v1${path}`, fullKeys.current.text, headers);
    return { get, gateway };
  };
  const pointsOf = (length: number) =>
    Array.from({ length }, (_, day) => ({
      date: addDays('1900-01-01', day),
      value: Math.abs(Math.sin(day)) * 1e6,
    }));
  const withText = (at: number) => (points: object[]) =>
    points.with(at, { ...points[at], value: '9' });
  for (const [what, metric, ...breaks] of [
    ["a song's points cannot be read", 'ugc_tiktok', () => 'x', withText(0), withText(1)],
    ['a point before the last 40 is a text', 'social_score', withText(0)],
  ] as const)
    for (const path of [`/artists/${id}`, '/artists?include=history&limit=100'])
      it(`gives ${path} no ETag while ${what}, and the same one as before once it is mended, on every replica`, async () => {
        const fixtures = readFixtures();
        const points = pointsOf(60);
        const artist = fixtures.artists.find((one) => one['id'] === id);
        // as the fixtures have them
        const songs = artist?.['songs'] as { id: string }[] | undefined;
        const own = {
          artist_id: id,
          song_id: metric === 'social_score' ? null : songs?.[0]?.id,
          metric,
        };
        await insertDocuments(mongo.db, {
          ...fixtures,
          history: [...fixtures.history, { ...own, points }],
        });
        const set = (change: object) =>
          mongo.db.collection('history').updateOne(own, { $set: change });
        const whole = await (await open()).get(path);
        const tag = whole.headers['etag'];
        for (const broken of breaks) {
          await set({ points: broken(points) });
          const replicas = [await open(), await open()];
          for (const { get, gateway } of replicas) {
            for (const known of ['"another"', '*']) {
              const less = await get(path, { 'If-None-Match': known });
              expect([less.status, less.headers['etag']], known).to.deep.equal([200, undefined]);
              expect(less.text.length).to.be.lessThan(whole.text.length);
            }
            expect(gateway.gateway.catalogue.value()?.incompleteHistories()).to.equal(1);
          }
          await set({ points });
          for (const { get, gateway } of replicas) {
            gateway.clock.advance(15_000);
            await gateway.gateway.catalogue.refresh();
            const mended = await get(path);
            expect(mended.body.data).to.deep.equal(whole.body.data);
            expect(gateway.gateway.catalogue.value()?.incompleteHistories()).to.equal(0);
            expect(mended.headers['etag']).to.equal((await get(path)).headers['etag']);
          }
        }
        const mended = await (await open()).get(path, { 'If-None-Match': tag });
        expect([mended.status, mended.headers['etag']]).to.deep.equal([304, tag]);
      });
});
