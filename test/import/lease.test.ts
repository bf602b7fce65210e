import { expect } from 'chai';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import { withImportLease } from '../../tools/import/import-lease.ts';
import { importHere } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { rejectionOf } from '../support/wait.ts';

describe('the lease of an import', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder(true);
  const other = useInputFolder(true);
  const collections = ['artists', 'history', 'labels'] as const;
  let now = Date.now();
  const importer = (actor: string) => ({ actor, machineNow: () => now });
  const database = () => ({ ...world.database, now: async () => now });
  beforeEach(async () => {
    for (const name of [...collections, 'leases']) await world.db.collection(name).deleteMany({});
    await folder.write('artists', artistDocuments(2));
  });

  it('refuses a second import, which names the first; a dry run needs none', async () => {
    await withImportLease(world.database, { actor: 'eve', machineNow: Date.now }, async () => {
      await world.done('catalogue', 'import', folder.path, '--dry-run');
      expectRefusal(
        await world.run('catalogue', 'import', folder.path),
        /^Another import is running \(eve on .+, process \d+, since .+Z\): nothing was done\. Run this again /,
      );
    });
    await world.done('catalogue', 'import', folder.path);
    expect(await world.db.collection('leases').countDocuments({})).to.equal(0);
  });

  it('belongs to the next import 30 s after its last renewal', async () => {
    await withImportLease(database(), importer('eve'), async (dead) => {
      const takeOver = () => withImportLease(database(), importer('bob'), async () => {});
      for (const seconds of [29, 29, 29]) {
        now += seconds * 1_000;
        expect(await rejectionOf(takeOver())).to.match(/^Another import is running/);
        await dead.confirm();
      }
      now += 30_000;
      await takeOver();
      expect(await rejectionOf(dead.confirm())).to.match(/^Another import began/);
    });
  });

  /** Two artists that each revision has, and one of its own; what each has the others lack. */
  const write = async ({ write: file }: typeof folder, revision: number): Promise<void> => {
    const ids = ['art_0001', 'art_0002', `art_000${3 + revision}`];
    const isOwn = (id: unknown) => ids.includes(String(id));
    const metrics = { monthly_listeners: revision };
    await file(
      'artists',
      artistDocuments(9, { metrics }).filter(({ id }) => isOwn(id)),
    );
    const series = seriesDocuments(9, { points: 1, add: revision });
    await file(
      'history',
      series.filter(({ artist_id }) => isOwn(artist_id)),
    );
    const names = ['Tidemark', `Label ${revision}`];
    await file(
      'labels',
      names.map((name) => ({ name, aliases: [`${revision}`] })),
    );
  };
  const stored = async (): Promise<Document[]> => {
    const found = collections.map((name) => world.db.collection(name).find({}).toArray());
    return (await Promise.all(found)).flat();
  };

  for (const [where, index] of [
    ['before', 0],
    ['after', 1],
  ] as const)
    it(`changes nothing that another run has written since, if a run stood still ${where} a confirmation`, async () => {
      for (let at = 1, hasStopped = true; hasStopped; at += 1) {
        for (const name of collections) await world.db.collection(name).deleteMany({});
        for (const [one, revision] of [
          [folder, 1],
          [other, 2],
        ] as const)
          await write(one, revision);
        await importHere(world.database.documents, [folder.path], { prune: true });
        let written: Document[] = [];
        const runOther = async () => {
          await write(folder, 3);
          now += 40_000;
          await withImportLease(database(), importer('bob'), (lease) =>
            importHere(world.database.documents, [folder.path], { prune: true, lease }),
          );
          written = await stored();
        };
        let confirmations = 0;
        const run = withImportLease(database(), importer('eve'), (lease) => {
          const confirm = async () => {
            confirmations += 1;
            if (confirmations !== at) return lease.confirm();
            const steps = [runOther, lease.confirm];
            for (const step of index === 0 ? steps : steps.toReversed()) await step();
          };
          return importHere(world.database.documents, [other.path], {
            prune: true,
            lease: { confirm },
          });
        });
        const reason = await rejectionOf(run).catch(() => undefined);
        hasStopped = written.length > 0;
        if (!hasStopped) expect(at, 'one for each command').to.be.above(9);
        else if (reason === undefined)
          expect(index, `${at}`).to.equal(1); // its last confirmation
        else
          expect(reason, `${at}`).to.match(/^(Another import began|Stored documents were changed)/);
        const after = new Map((await stored()).map((one) => [String(one['_id']), one]));
        for (const one of written)
          expect(after.get(String(one['_id'])), `${at}`).to.deep.equal(one);
        if (index === 0 && hasStopped) expect(after.size, `${at}`).to.equal(written.length);
      }
    });

  it('stops if a document is changed while its command is on its way, and completes when run again', async () => {
    await importHere(world.database.documents, [folder.path]);
    await folder.write('artists', artistDocuments(2, { name: 'Renamed' }));
    const artists = world.db.collection('artists');
    const update: DocumentStore['update'] = async (...given) => {
      await artists.updateOne({ id: 'art_0001' }, { $set: { updated_at: new Date() } });
      return world.database.documents.update(...given);
    };
    const documents = { ...world.database.documents, update };
    expect(await rejectionOf(importHere(documents, [folder.path]))).to.equal(
      'Stored documents were changed in the meantime: this import stopped. Run it again.',
    );
    await importHere(world.database.documents, [folder.path]);
    expect(await artists.countDocuments({ name: 'Renamed' })).to.equal(2);
  });
});
