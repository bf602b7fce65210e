import { expect } from 'chai';
import type { ImportDatabase } from '../../adapters/stores/mongodb/import.ts';
import { createIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { importHere } from '../support/cli/import-here.ts';
import { artistDocuments, createInputFolder, type InputFolder, seriesDocuments } from '../support/cli/input-folder.ts';
import { createOperatorEnvironment, type OperatorEnvironment } from '../support/cli/operator-environment.ts';

const writes = ['insertMany', 'bulkWrite', 'updateMany', 'deleteMany'];
const written = new Date('2026-08-22T00:00:00Z');

/** The database with a limit of writes: every write beyond it fails before it begins. */
const cutAfter = (db: ImportDatabase, maxWrites: number): ImportDatabase => {
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
          if (left < 0) throw new Error('cut');
          return Reflect.apply(member, of, args);
        };
      },
    });
  return cutting(db);
};

describe('catalogue import, interrupted after any of its writes', function () {
  this.timeout(60_000);
  let world: OperatorEnvironment;
  let folder: InputFolder;
  const artists = () => world.db.collection('artists').find({}).sort({ id: 1 }).toArray();
  const history = () => world.db.collection('history').find({}).sort({ artist_id: 1, metric: 1 }).toArray();

  const importFolder = (db = world.db) => importHere(db, [folder.path], { prune: true });

  before(async () => {
    world = await createOperatorEnvironment();
    await createIndexes(world.db);
    folder = await createInputFolder();
  });
  after(async () => {
    await folder.remove();
    await world.stop();
  });

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
      for (const artist of await artists()) {
        if (artist['updated_at'] > written) expect(artist).not.to.have.property('series_unfinished');
      }
      await importFolder();
      const [first, second, third, fifth] = await artists();
      expect([first?.['id'], second?.['id'], third?.['id'], fifth?.['id']]).to.deep.equal(
        [1, 2, 3, 5].map((number) => `art_000${number}`),
      );
      expect(first?.['updated_at'], `cut ${cuts}`).to.deep.equal(written);
      expect(second?.['updated_at'], `cut ${cuts}`).to.be.greaterThan(written);
      expect(third?.['updated_at'], `cut ${cuts}`).to.be.greaterThan(written);
      expect((await history()).map(({ artist_id }) => artist_id)).to.deep.equal(
        [1, 1, 2, 3, 3, 5, 5].map((number) => `art_000${number}`),
      );
      if (!wasCut) break;
    }
    expect(cuts).to.be.within(6, 49);
  });

  it('runs beside another import without harm', async () => {
    await startOver();
    await Promise.all([importFolder(), importFolder()]);
    expect(await artists()).to.have.length(4);
    expect(await history()).to.have.length(7);
  });
});
