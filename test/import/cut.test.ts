import { expect } from 'chai';
import type { Db } from 'mongodb';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { importedAt, importHere } from '../support/cli/import-here.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';

const writes = ['insertMany', 'bulkWrite', 'updateMany', 'deleteMany'];
const written = new Date('2026-08-22T00:00:00Z');

/**
 * The database with a limit of writes: every write beyond it fails before it begins, or when it has written the first half of
 * its documents.
 */
const cutAfter = (db: Db, maxWrites: number, { half = false } = {}): Db => {
  let left = maxWrites;
  const cutting = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(of, name) {
        const member: unknown = Reflect.get(of, name);
        if (typeof member !== 'function') return member;
        if (name === 'collection') return (...args: unknown[]) => cutting(Reflect.apply(member, of, args));
        if (!writes.includes(String(name))) return member.bind(of);
        return async (...args: unknown[]) => {
          left -= 1;
          if (left < 0) {
            const [documents] = args;
            const first = Array.isArray(documents) ? documents.slice(0, Math.floor(documents.length / 2)) : [];
            if (half && left === -1 && first.length > 0) await Reflect.apply(member, of, [first]);
            throw new Error('cut');
          }
          return Reflect.apply(member, of, args);
        };
      },
    });
  return cutting(db);
};

describe('catalogue import, interrupted after any of its writes', function () {
  this.timeout(60_000);
  const world = useOperatorEnvironment();
  const folder = useInputFolder();
  const artists = () => world.db.collection('artists').find({}).sort({ id: 1 }).toArray();
  const history = () => world.db.collection('history').find({}).sort({ artist_id: 1, metric: 1 }).toArray();

  const importFolder = (db = world.db) => importHere(createMongoDocuments(db), [folder.path], { prune: true });

  before(() => createMongoIndexes(world.db).create());

  /** Writes four artists. The first keeps its series, the second loses one, the third gets others, the fourth is removed. */
  const startOver = async (): Promise<void> => {
    await world.db.collection('artists').deleteMany({});
    await world.db.collection('history').deleteMany({});
    await folder.write('artists', artistDocuments(4));
    await folder.write('history', seriesDocuments(4));
    await importFolder();
    const [same = {}, sameSong = {}, stays = {}] = seriesDocuments(2);
    const changed = seriesDocuments(3, { add: 1 }).slice(4);
    await folder.write('artists', [...artistDocuments(3), ...artistDocuments(5).slice(4)]);
    await folder.write('history', [same, sameSong, stays, ...changed, ...seriesDocuments(5).slice(8)]);
  };

  it('leaves no changed artist untouched once a second import has run', async () => {
    let cuts = 0;
    for (; cuts < 50; cuts++) {
      await startOver();
      const wasCut = await importFolder(cutAfter(world.db, cuts)).then(
        () => false,
        (error: Error) => error.message === 'cut' || Promise.reject(error),
      );
      await importFolder();
      for (const artist of await artists()) expect(artist).not.to.have.property('series_unfinished');
      const [first, second, third, fifth] = await artists();
      expect([first?.['id'], second?.['id'], third?.['id'], fifth?.['id']]).to.deep.equal(
        [1, 2, 3, 5].map((number) => `art_000${number}`),
      );
      expect(first?.['updated_at'], `cut ${cuts}`).to.deep.equal(written);
      expect(second?.['updated_at'], `cut ${cuts}`).to.deep.equal(new Date(importedAt));
      expect(third?.['updated_at'], `cut ${cuts}`).to.deep.equal(new Date(importedAt));
      expect((await history()).map(({ artist_id }) => artist_id)).to.deep.equal(
        [1, 1, 2, 3, 3, 5, 5].map((number) => `art_000${number}`),
      );
      if (!wasCut) break;
    }
    expect(cuts).to.be.within(6, 49);
  });

  describe('leaves no artist with new series and old data on any gateway', () => {
    const clock = createManualClock('2026-08-23T00:00:00Z');
    const openGateway = () => {
      const catalogue = createMongoCatalogue(world.db, clock);
      const histories = createMongoHistory(world.db, { timeoutMs: 5_000, log: createMemoryLog() });
      return { load: async () => (await catalogue.load()).artists.map(({ artist }) => artist), read: histories.read };
    };
    type Gateway = ReturnType<typeof openGateway>;

    /** Artists with their first point: `Artist 0001 1000`. */
    const served = async (gateway: Gateway): Promise<string[]> => {
      const found: string[] = [];
      for (const artist of await gateway.load()) {
        const { series } = await gateway.read(artist);
        for (const { points } of series) found.push(`${artist.name} ${points[0]?.value}`);
      }
      return found.sort();
    };
    const importRevision = async (revision: number, db = world.db): Promise<void> => {
      const artistsNow = artistDocuments(3).map((artist) => ({ ...artist, name: `${artist['name']} ${revision}` }));
      await folder.write('artists', artistsNow);
      await folder.write('history', seriesDocuments(3, { add: revision }));
      await importFolder(db);
    };
    const isNewSeriesOfOldData = (text: string): boolean => / 0 1001$/.test(text);

    for (const half of [false, true]) {
      it(half ? 'when it ends in the middle of a write' : 'when it ends between two writes', async () => {
        for (let cuts = 0, wasCut = true; wasCut; cuts++) {
          await world.db.collection('artists').deleteMany({});
          await world.db.collection('history').deleteMany({});
          await importRevision(0);
          const startedBefore = openGateway();
          await startedBefore.load();
          wasCut = await importRevision(1, cutAfter(world.db, cuts, { half })).then(
            () => false,
            () => true,
          );
          for (const gateway of [startedBefore, openGateway()]) {
            const found = await served(gateway);
            expect(found.filter(isNewSeriesOfOldData), `cut ${cuts}: ${found}`).to.deep.equal([]);
          }
          await importRevision(1);
          for (const gateway of [startedBefore, openGateway()]) {
            for (const text of await served(gateway)) expect(text, `cut ${cuts}`).to.match(/ 1 1001$/);
          }
          expect(cuts).to.be.lessThan(20);
        }
      });
    }
  });

  it('runs beside another import without harm', async () => {
    await startOver();
    await Promise.all([importFolder(), importFolder()]);
    expect(await artists()).to.have.length(4);
    expect(await history()).to.have.length(7);
  });
});
