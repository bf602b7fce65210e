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
  const withLease = (actor: string, work: Parameters<typeof withImportLease>[2]) =>
    withImportLease(
      { ...world.database, now: async () => now },
      { actor, machineNow: () => now },
      work,
    );
  const clear = async () => {
    for (const name of [...collections, 'leases']) await world.db.collection(name).deleteMany({});
  };
  beforeEach(async () => {
    await clear();
    await folder.write('artists', artistDocuments(2));
  });

  it('rejects a second import, which names the first; a dry run needs none', async () => {
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

  it('expires 30 s after its last renewal', async () => {
    await withLease('eve', async (dead) => {
      const takeOver = () => withLease('bob', async () => {});
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

  /** Two artists of every revision, and one of its own; each has what the others lack. */
  const write = async ({ write: file }: typeof folder, revision: number): Promise<void> => {
    const ids = ['art_0001', 'art_0002', `art_000${3 + revision}`];
    const isOwn = (document: Document) =>
      ids.includes(String(document['artist_id'] ?? document['id']));
    const artists = artistDocuments(9, { metrics: { monthly_listeners: revision } });
    await file('artists', artists.filter(isOwn));
    await file('history', seriesDocuments(9, { points: 1, add: revision }).filter(isOwn));
    const label = (name: string) => ({ name, aliases: [`${revision}`] });
    await file('labels', ['Tidemark', `Label ${revision}`].map(label));
  };
  const stored = async (): Promise<Document[]> => {
    const found = collections.map((name) => world.db.collection(name).find({}).toArray());
    return (await Promise.all(found)).flat();
  };
  const prune = (path: string, lease?: Parameters<typeof importHere>[2]) =>
    importHere(world.database.documents, [path], { prune: true, ...lease });

  for (const [where, index] of [
    ['before', 0],
    ['after', 1],
  ] as const)
    it(`protects the writes of another run if a run stops ${where} a confirmation`, async () => {
      for (let at = 1, hasStopped = true; hasStopped; at += 1) {
        await clear();
        await write(folder, 1);
        await write(other, 2);
        await prune(folder.path);
        let written: Document[] = [];
        const runOther = async () => {
          await write(folder, 3);
          now += 40_000;
          await withLease('bob', (lease) => prune(folder.path, { lease }));
          written = await stored();
        };
        let confirmations = 0;
        const run = withLease('eve', (lease) => {
          const steps = [runOther, lease.confirm];
          const confirm = async () => {
            confirmations += 1;
            if (confirmations !== at) return lease.confirm();
            for (const step of index === 0 ? steps : steps.toReversed()) await step();
          };
          return prune(other.path, { lease: { confirm } });
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

  it('does not prevent other changes: a run stops at a changed document, and the next completes', async () => {
    const { documents } = world.database;
    await importHere(documents, [folder.path]);
    await folder.write('artists', artistDocuments(2, { name: 'Renamed' }));
    const artists = world.db.collection('artists');
    const update: DocumentStore['update'] = async (...given) => {
      await artists.updateOne({ id: 'art_0001' }, { $set: { updated_at: new Date() } });
      return documents.update(...given);
    };
    expect(await rejectionOf(importHere({ ...documents, update }, [folder.path]))).to.equal(
      'Stored documents were changed in the meantime: this import stopped. Run it again.',
    );
    await importHere(documents, [folder.path]);
    expect(await artists.countDocuments({ name: 'Renamed' })).to.equal(2);
  });
});
