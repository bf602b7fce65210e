import { expect } from 'chai';
import { withImportLease } from '../../adapters/import/import-lease.ts';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import { importHere } from '../support/cli/import-here.ts';
import { artistDocuments, type Document, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { rejectionOf } from '../support/wait.ts';

const labels = [{ name: 'Tidemark', aliases: [] }];

describe('an import that stands still while another one begins and ends', () => {
  const world = useOperatorEnvironment({}, true);
  const [one, other, third] = [useInputFolder(), useInputFolder(), useInputFolder()];

  /** Artists, their series and a label of a revision; each revision has an artist more than the one before. */
  const write = async ({ write: file }: typeof one, revision: number) => {
    await file('artists', artistDocuments(2 + revision, { metrics: { monthly_listeners: revision } }));
    await file('history', seriesDocuments(2 + revision, { points: 1, add: revision }));
    await file('labels', [...labels, { name: `Label ${revision}`, aliases: [String(revision)] }]);
  };
  before(async () => {
    for (const [index, folder] of [one, other, third].entries()) await write(folder, index + 1);
  });

  /** Everything that is stored, without what every import makes anew. */
  const stored = async (): Promise<Document[]> => {
    const found: Document[] = [];
    for (const name of ['artists', 'history', 'labels']) {
      const documents = await world.db.collection(name).find({}).toArray();
      found.push(...documents.map(({ _id: _, updated_at: __, ...document }) => document));
    }
    return found
      .map((document) => JSON.stringify(document))
      .sort()
      .map((text) => JSON.parse(text));
  };

  const leaseOf = (actor: string, now: () => number) => {
    const database = { ...world.database, now: async () => now() };
    return <Result>(work: (confirm: () => Promise<void>) => Promise<Result>) =>
      withImportLease(
        database,
        { actor, machineNow: now, onWait: () => {}, interruption: new AbortController().signal },
        (lease) => work(lease.confirm),
      );
  };

  /** Imports the second revision, but lets the third be imported at the confirmation of this number. */
  const importAround = async (at: number, documents: DocumentStore = world.database.documents) => {
    await importHere(world.database.documents, [one.path]);
    let now = Date.now();
    let confirmations = 0;
    const reason = await rejectionOf(
      leaseOf(
        'eve',
        () => now,
      )((confirm) =>
        importHere(documents, [other.path], {
          prune: true,
          confirm: async () => {
            confirmations += 1;
            if (confirmations === at) {
              now += 40_000;
              const importLater = leaseOf('bob', () => now);
              await importLater((own) =>
                importHere(world.database.documents, [third.path], { prune: true, confirm: own }),
              );
            }
            await confirm();
          },
        }),
      ),
    ).catch(() => undefined);
    return { reason, confirmations };
  };

  it('stops before its next command, and leaves what the other one has written', async () => {
    await importHere(world.database.documents, [third.path]);
    const expected = await stored();
    const { confirmations: all } = await importAround(Number.POSITIVE_INFINITY);
    expect(all, 'one for each command').to.be.at.least(7);
    for (let at = 1; at <= all; at++) {
      for (const name of ['artists', 'history', 'labels']) await world.db.collection(name).deleteMany({});
      const { reason } = await importAround(at);
      expect(reason, `at command ${at}`).to.match(/^Another import began meanwhile /);
      expect(await stored(), `at command ${at}`).to.deep.equal(expected);
    }
  });

  it('never moves an artist back, even when the network holds its command meanwhile', async () => {
    await importHere(world.database.documents, [one.path]);
    const { documents } = world.database;
    let held = false;
    const slow: DocumentStore = {
      ...documents,
      async update(name, changes) {
        if (name === 'artists' && !held) {
          held = true;
          await importHere(documents, [third.path]);
        }
        return documents.update(name, changes);
      },
    };
    expect(await rejectionOf(importHere(slow, [other.path]))).to.match(/^Artists were changed by somebody else/);
    const artists = await world.db.collection('artists').find({}).toArray();
    expect(new Set(artists.map(({ metrics }) => metrics.monthly_listeners))).to.deep.equal(new Set([3]));
  });
});
