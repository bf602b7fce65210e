import { expect } from 'chai';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { createCleanup } from '../support/cleanup.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';
import { createMemoryLog } from '../support/log.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

const id = 'art_4jt8re';

describe('a series of MongoDB that is mended without its artist', () => {
  const mongo = useMongo();
  const cleanup = createCleanup();
  afterEach(cleanup.run);

  const open = async () => {
    const { load } = createMongoCatalogue(mongo.db);
    const { read } = createMongoHistory(mongo.db, { timeoutMs: 5_000, log: createMemoryLog() });
    const gateway = cleanup.add(await createTestGateway({ source: { load, read } }), ({ close }) => close());
    const get = (path: string, headers = {}) => gateway.get(`/api/v1${path}`, fullKeys.current.text, headers);
    return { get, log: gateway.log, refresh: gateway.gateway.catalogue.refresh };
  };
  const setSeries = (change: object) =>
    mongo.db.collection('history').updateOne({ artist_id: id, metric: 'monthly_listeners' }, { $set: change });

  for (const [path, what, broken] of [
    [`/artists/${id}`, 'its points are no list', () => 'x'],
    [
      `/artists/${id}`,
      'a point is a text',
      (points: { value: unknown }[]) => points.with(3, { ...points[3], value: '9' }),
    ],
    ['/spikes', 'its points are no list', () => 'x'],
  ] as const)
    it(`gives ${path} another ETag, and no 304, when ${what}, and another one again when it is mended; both are reported`, async () => {
      const fixtures = readFixtures();
      await insertDocuments(mongo.db, fixtures);
      const own = fixtures.history.find((one) => one['artist_id'] === id && one['metric'] === 'monthly_listeners');
      const { get, log, refresh } = await open();
      const whole = await get(path);
      await setSeries({ points: broken(own?.['points'] as { value: unknown }[]) }); // as the fixtures have them
      await mongo.db.collection('artists').updateOne({ id }, { $set: { updated_at: new Date() } });
      await refresh();
      const less = await get(path);
      expect(less.text.length).to.be.lessThan(whole.text.length);
      await setSeries({ points: own?.['points'] });
      await refresh();
      const mended = await get(path, { 'If-None-Match': less.headers['etag'] });
      expect(mended.status).to.equal(200);
      expect(mended.body.data).to.deep.equal(whole.body.data);
      expect((await get(path, { 'If-None-Match': mended.headers['etag'] })).status).to.equal(304);
      const reports = log.entries.filter(({ facts }) => 'document' in facts).map(({ event }) => event);
      expect(reports.length).to.be.at.least(2);
      expect(reports.at(-1)).to.equal('content changed without a newer updated_at');
    });
});
