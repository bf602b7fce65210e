import { expect } from 'chai';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import {
  createMongoDocuments,
  createMongoLeases,
} from '../../adapters/stores/mongodb/documents.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { type Lease, withImportLease } from '../../tools/import/import-lease.ts';
import { importHere, noLease } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { rejectionOf } from '../support/wait.ts';

const collections = ['artists', 'history', 'labels'] as const;

describe('an import that stands still while another one begins and ends', () => {
  const mongo = useMongo();
  const [one, other, third, refused] = [
    useInputFolder(),
    useInputFolder(),
    useInputFolder(),
    useInputFolder(),
  ];
  const documentsHere = () => createMongoDocuments(mongo.db);

  /**
   * Two artists in every revision, one in the named ones alone; what each has of its own the others
   * lack.
   */
  const write = async ({ write: file }: typeof one, revision: number) => {
    const own = revision * 10;
    const artists = [0, 1, own].flatMap((index) =>
      artistDocuments(index + 1, { metrics: { monthly_listeners: revision } }).slice(-1),
    );
    const ids = artists.map(({ id }) => id);
    const series = seriesDocuments(own + 1, { points: 1, add: revision });
    const kept = series.filter(({ artist_id }) => ids.includes(artist_id));
    await file('artists', artists);
    const [ownMetric, artist] =
      revision === 2 ? ['social_score', kept[0]] : ['spotify_streams', kept[2]];
    await file('history', [...kept, { ...artist, metric: ownMetric }]);
    await file(
      'labels',
      ['Tidemark', `Label ${revision}`].map((name) => ({ name, aliases: [String(revision)] })),
    );
  };
  before(async () => {
    for (const [index, folder] of [one, other, third].entries()) await write(folder, index + 1);
    await refused.write('labels', [{}]);
  });
  beforeEach(() => createMongoIndexes(mongo.db).create());

  /** Everything that is stored, without what every import makes anew. */
  const stored = async (): Promise<Document[]> => {
    const found: Document[] = [];
    for (const name of collections) {
      const documents = await mongo.db.collection(name).find({}).toArray();
      found.push(
        ...documents.map(({ _id: _, updated_at: __, import_run: ___, ...document }) => document),
      );
    }
    return found
      .map((document) => JSON.stringify(document))
      .sort()
      .map((text) => JSON.parse(text));
  };

  /** Later for each import that takes the lease of another one. */
  let now = Date.now();
  const importWithLease = (
    documents: DocumentStore,
    { path }: typeof one,
    around: (lease: Lease) => Lease = (lease) => lease,
  ) =>
    withImportLease(
      { documents: documentsHere(), leases: createMongoLeases(mongo.db), now: async () => now },
      {
        actor: 'eve',
        machineNow: () => now,
        onWait: () => {},
        interruption: new AbortController().signal,
      },
      (lease) => importHere(documents, [path], { prune: true, lease: around(lease) }),
    );
  const importLater = async (folder: typeof one, around?: (lease: Lease) => Lease) => {
    now += 40_000;
    await importWithLease(documentsHere(), folder, around);
  };
  const begin = async () => {
    for (const name of [...collections, 'leases']) await mongo.db.collection(name).deleteMany({});
    await importWithLease(documentsHere(), one);
  };

  /**
   * Imports the second revision, but another folder meanwhile: before the confirmation of this
   * number.
   */
  const stopBefore = async (at: number, folder: typeof one) => {
    let confirmations = 0;
    const run = importWithLease(documentsHere(), other, (lease) => ({
      ...lease,
      confirm: async () => {
        confirmations += 1;
        if (confirmations === at) await importLater(folder);
        await lease.confirm();
      },
    }));
    return { reason: await rejectionOf(run).catch(() => undefined), steps: confirmations };
  };

  /**
   * The same, while the network holds the bytes of the command of this number: until the other
   * import ends, or has compared.
   */
  const stopWithin = async (
    at: number,
    folder: typeof one,
    until: 'ends' | 'compares' = 'ends',
  ) => {
    let commands = 0;
    const documents = createMongoDocuments(mongo.proxied);
    const held =
      <Given, Result>(send: (collection: string, list: readonly Given[]) => Promise<Result>) =>
      async (collection: string, list: readonly Given[]): Promise<Result> => {
        commands += 1;
        if (commands !== at) return send(collection, list);
        mongo.proxy.hold();
        const sent = send(collection, list);
        let claims = 0;
        const arriving = (lease: Lease): Lease => ({
          ...lease,
          async claim() {
            claims += 1;
            if (until === 'compares' && claims === 1) {
              mongo.proxy.release();
              await sent;
            }
            return lease.claim();
          },
        });
        if (until === 'ends') await importLater(refused); // takes the lease, and releases it
        await importLater(folder, arriving).finally(mongo.proxy.release);
        return sent;
      };
    const { add, update, remove } = documents;
    const slow = {
      ...documents,
      add: held(add),
      update: held(update),
      remove: held(remove),
    };
    return {
      reason: await rejectionOf(importWithLease(slow, other)).catch(() => undefined),
      steps: commands,
    };
  };

  for (const [how, stopAt] of [
    ['before a command', stopBefore],
    ['while the bytes of a command are on their way', stopWithin],
    [
      'until the other one has compared',
      (at: number, folder: typeof one) => stopWithin(at, folder, 'compares'),
    ],
  ] as const)
    for (const [what, folder] of [
      ['the later one changes everything', third],
      ['the later one finds everything as it is', one],
    ] as const)
      it(`leaves what the other one has written: it stands still ${how}, and ${what}`, async () => {
        await begin();
        const { steps, reason } = await stopAt(Number.POSITIVE_INFINITY, folder);
        expect(reason).to.equal(undefined);
        expect(steps, 'one for each command').to.be.at.least(9);
        await begin();
        await importLater(folder);
        const expected = await stored();
        for (let at = 1; at <= steps; at++) {
          await begin();
          const stopped = await stopAt(at, folder);
          expect(stopped.reason, `at ${at}`).to.match(/^Another import began meanwhile /);
          expect(await stored(), `at ${at}`).to.deep.equal(expected);
        }
      });

  it('takes back what its last command added, and nothing before it, when its lease is lost', async () => {
    // in the second batch
    const added = { artist_id: 'art_0055', metric: 'social_score', points: [] };
    for (const [lostAt, left] of [
      [5, 0],
      [6, 0],
      [7, 1],
    ] as const) {
      for (const name of collections) await mongo.db.collection(name).deleteMany({});
      await one.write('artists', artistDocuments(60));
      let confirmations = 0;
      const lease: Lease = {
        ...noLease,
        async confirm() {
          confirmations += 1;
          if (confirmations === lostAt) throw new Error('lost');
        },
      };
      const importSeries = async (add: number, more: readonly Document[], own?: Lease) => {
        const history = await one.write('history', [...seriesDocuments(60, { add }), ...more]);
        const paths = [`${one.path}/artists.ndjson`, history];
        return importHere(documentsHere(), paths, own && { lease: own });
      };
      await importSeries(1, []);
      expect(await rejectionOf(importSeries(2, [added], lease))).to.equal('lost');
      const count = (where: Document) => mongo.db.collection('history').countDocuments(where);
      expect(await count({ metric: 'social_score' }), `lost at ${lostAt}`).to.equal(left);
      expect(await count({})).to.equal(120 + left);
    }
  });

  it('leaves its lease to expire when it does not know what became of a command', async () => {
    const documents = documentsHere();
    const add = () => Promise.reject(new Error('connection lost'));
    expect(await rejectionOf(importWithLease({ ...documents, add }, one))).to.equal(
      'connection lost',
    );
    expect(await mongo.db.collection('leases').countDocuments({})).to.equal(1);
  });
});
