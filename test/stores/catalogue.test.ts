import { expect } from 'chai';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { artistMetrics } from '../../src/domain/model.ts';
import type { CatalogueContents, CatalogueSource, HistorySource } from '../../src/ports.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { insertDocuments, readFixtures, type StoredDocuments } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

type Documents = Pick<StoredDocuments, 'artists' | 'history' | 'labels'>;

const id = 'art_4jt8re';
const find = ({ artists }: CatalogueContents) => artists.find(({ artist }) => artist.id === id);

// What changes between loads: last-good-catalogue.test.ts.
describe('catalogue', () => {
  const { artists, history, labels } = readFixtures();
  const mongo = useMongo();
  const cleanup = useCleanup(afterEach);

  const openFiles = async () => {
    const { path: folder, write, close } = await createDocumentFolder();
    cleanup.add(close, (end) => end());
    const clock = createManualClock();
    const files = createEmbeddedCatalogue({ folder, clock, rebaseToToday: false });
    return { source: files, histories: files, write };
  };
  const openMongo = async () => ({
    source: createMongoCatalogue(mongo.db),
    histories: createMongoHistory(mongo.db, { timeoutMs: 5_000, log: createMemoryLog() }),
    write: (documents: Documents) => insertDocuments(mongo.db, documents),
  });

  for (const [name, open] of [
    ['files', openFiles],
    ['MongoDB', openMongo],
  ] as const)
    describe(`in ${name}`, () => {
      let source: CatalogueSource;
      let histories: HistorySource;
      let writeAll: (documents: Documents) => Promise<void>;
      const write = (given: Partial<Documents> = {}) =>
        writeAll({ artists, history, labels, ...given });
      beforeEach(async () => {
        ({ source, histories, write: writeAll } = await open());
        await write();
      });

      it('loads every artist, label and series', async () => {
        const contents = await source.load();
        expect(contents.faults).to.deep.equal([]);
        expect(contents.artists.map(({ artist }) => artist.id)).to.have.members(
          artists.map((stored) => stored['id']),
        );
        expect(contents.labels.map((label) => label.name)).to.have.members(
          labels.map((label) => label['name']),
        );
        for (const { artist } of contents.artists) {
          const stored = history.filter((series) => series['artist_id'] === artist.id);
          const { series } = await histories.read(artist);
          expect(series.map(({ songId, metric }) => `${songId ?? ''} ${metric}`)).to.deep.equal(
            stored.map((one) => `${one['song_id'] ?? ''} ${one['metric']}`).sort(),
          );
          expect(series.every(({ points }) => points.length > 0)).to.equal(true);
        }
      });

      it('loads the last 35 days of the series of artists, and no series of songs', async () => {
        const recent = (await source.load()).artists.flatMap((listed) => listed.recent);
        expect(recent.length).to.be.greaterThan(5);
        expect(artistMetrics).to.include.members(recent.map(({ metric }) => metric));
        expect(recent.flatMap((series) => series.days).sort()[0]).to.equal('2026-07-18');
        expect(JSON.stringify(history)).to.include('2026-07-10');
      });

      it('counts the 35 days from the newest trusted point, even a year ago', async () => {
        const days = ['2025-06-14', '2025-06-15', '2025-07-20', '2025-08-05'];
        const points = days.map((date, index) => ({ date, value: index, estimated: index === 3 }));
        const ended = { _id: 'ended', artist_id: id, metric: 'social_score', points };
        await write({ history: [ended] });
        expect(find(await source.load())?.recent).to.deep.equal([
          { metric: 'social_score', days: days.slice(1, 3), values: [1, 2] },
        ]);
      });

      it('keeps the objects of all unchanged artists and labels', async () => {
        const before = await source.load();
        const change = { name: 'Renamed', updated_at: '2026-08-22T11:00:00.000Z' };
        await write({
          artists: artists.map((one) => (one['id'] === id ? { ...one, ...change } : one)),
        });
        const after = await source.load();
        expect(find(after)?.artist.name).to.equal('Renamed');
        expect(after.labels).to.equal(before.labels);
        const kept = after.artists.filter((listed) => before.artists.includes(listed));
        expect(kept).to.have.length(before.artists.length - 1);
      });

      it('accepts a collection that never had a document', async () => {
        await write({ history: [], labels: [] });
        expect((await source.load()).faults).to.deep.equal([]);
      });

      it('keeps the first of two labels, and of two series, with one identifier', async () => {
        const [label, series] = [labels[0], history[0]];
        await write({
          labels: [
            ...labels.map((one, index) => ({ ...one, _id: `a${index}` })),
            { ...label, _id: 'z', aliases: ['Another'] },
          ],
          history: [...history, { ...series, _id: 'z', points: [] }],
        });
        const contents = await source.load();
        const kept = contents.labels.find((one) => one.name === label?.['name']);
        expect(kept?.aliases).to.deep.equal(label?.['aliases']);
        expect(contents.faults.map(({ collection }) => collection)).to.have.members([
          'history',
          'labels',
        ]);
      });

      it('changes the content of an artist when a series is fixed without `updated_at`', async () => {
        await write({ history: history.map((one) => ({ ...one, points: 'none' })) });
        const before = (await source.load()).artists.map(({ content }) => content);
        await write();
        const contents = await source.load();
        const fixed = contents.artists.filter(({ content }, index) => content !== before[index]);
        expect(fixed).not.to.deep.equal([]);
        expect(contents.faults.map(({ event }) => event)).to.deep.equal(
          fixed.map(() => 'content changed without a newer updated_at'),
        );
      });
    });
});
