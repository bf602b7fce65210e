import { expect } from 'chai';
import fc from 'fast-check';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { changedAt } from '../../tools/import/to-stored.ts';
import { importedAt, importHere } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

const collections = ['artists', 'history', 'labels'] as const;
type Collection = (typeof collections)[number];

/**
 * The revision of each document that there may be: three artists, two series of each, two labels.
 */
type Revisions = Readonly<Record<Collection, readonly (number | undefined)[]>>;

const documentsOf = (revision: number): Readonly<Record<Collection, readonly Document[]>> => ({
  artists: artistDocuments(3, { metrics: { monthly_listeners: revision } }),
  history: seriesDocuments(3, { points: 1, add: revision - 1000 }),
  labels: ['Tidemark', 'Korvane'].map((name) => ({ name, aliases: [String(revision)] })),
});
const keyOf = ({ id, artist_id, metric, name }: Document): string =>
  String(id ?? name ?? `${artist_id} ${metric}`);
const revisionOf = (document: Document): number =>
  Number(/(?:listeners":|value":|aliases":\[")(\d)/.exec(JSON.stringify(document))?.[1]);

/** The two series of an artist, by their place. */
const seriesOf = (artist: number): readonly number[] => [2 * artist, 2 * artist + 1];
const differs = (one: Revisions, other: Revisions, artist: number): boolean =>
  seriesOf(artist).some((series) => one.history[series] !== other.history[series]);

/** A catalogue without the series of artists that it does not have. */
const withoutOrphans = ({ artists, history, labels }: Revisions): Revisions => ({
  artists,
  history: history.map((one, index) =>
    artists[Math.floor(index / 2)] === undefined ? undefined : one,
  ),
  labels,
});

/** What is stored after an import; `undefined` where it refuses its input. */
const expectedAfter = (
  before: Revisions,
  given: Revisions,
  prunes: (name: Collection) => boolean,
) => {
  const merged = (name: Collection) =>
    before[name].map(
      (revision, index) => given[name][index] ?? (prunes(name) ? undefined : revision),
    );
  const after = {
    artists: merged('artists'),
    history: merged('history'),
    labels: merged('labels'),
  };
  const isOrphan = (series: number) => after.artists[Math.floor(series / 2)] === undefined;
  if (given.history.some((revision, series) => revision !== undefined && isOrphan(series)))
    return undefined;
  if (prunes('artists') && given.artists.every((revision) => revision === undefined))
    return undefined;
  return withoutOrphans(after);
};

const countsOf = (before: Revisions, given: Revisions, after: Revisions) => {
  const count = (name: Collection, isTouched: (index: number) => boolean = () => false) => {
    const counts = { created: 0, changed: 0, touched: 0, unchanged: 0, removed: 0 };
    for (const [index, was] of before[name].entries()) {
      const is = after[name][index];
      if (is === undefined) counts.removed += was === undefined ? 0 : 1;
      else if (was === undefined) counts.created += 1;
      else if (was !== is) counts.changed += 1;
      else if (isTouched(index)) counts.touched += 1;
      else if (given[name][index] !== undefined) counts.unchanged += 1;
    }
    return counts;
  };
  return {
    artists: count('artists', (index) => differs(before, after, index)),
    series: count('history'),
    labels: count('labels'),
  };
};

const revisions = (length: number) =>
  fc.array(fc.constantFrom(0, 0, 1, undefined), { minLength: length, maxLength: length });
const anyCatalogue = fc.record({
  artists: revisions(3),
  history: revisions(6),
  labels: revisions(2),
});
const anyImport = fc.record({
  before: anyCatalogue.map(withoutOrphans),
  input: anyCatalogue,
  files: fc.subarray([...collections], { minLength: 1 }),
  prune: fc.boolean(),
  /** After how many writes it is interrupted, and whether half of the next one is written. */
  cut: fc.option(fc.record({ writes: fc.nat(7), half: fc.boolean() })),
});

/**
 * The store with a limit of writes: the first beyond it writes nothing, or half of its documents,
 * and fails.
 */
const cutAfter = (
  inner: DocumentStore,
  { writes, half }: { writes: number; half: boolean },
): DocumentStore => {
  let left = writes;
  const cutting =
    <Given, Result>(write: (collection: string, list: readonly Given[]) => Promise<Result>) =>
    async (collection: string, list: readonly Given[]): Promise<Result> => {
      if (list.length > 0) left -= 1;
      if (left >= 0) return write(collection, list);
      if (half && left === -1) await write(collection, list.slice(0, Math.floor(list.length / 2)));
      throw new Error('cut');
    };
  const { add, replace, update, remove } = inner;
  return {
    ...inner,
    add: cutting(add),
    replace: cutting(replace),
    update: cutting(update),
    remove: cutting(remove),
  };
};

/** What is stored, as revisions, and the artists. */
const read = async (documents: DocumentStore) => {
  const all = async (name: Collection): Promise<(Document | undefined)[]> => {
    const found = new Map<string, Document>();
    for await (const document of documents.find(name)) found.set(keyOf(document), document);
    return documentsOf(0)[name].map((document) => found.get(keyOf(document)));
  };
  const [artists, history, labels] = [
    await all('artists'),
    await all('history'),
    await all('labels'),
  ];
  const revised = (list: readonly (Document | undefined)[]) =>
    list.map((document) => document && revisionOf(document));
  return {
    artists,
    stored: { artists: revised(artists), history: revised(history), labels: revised(labels) },
  };
};

describe('every import', () => {
  const folder = useInputFolder(true);
  const mongo = useMongo();
  const writtenAt = Date.parse('2026-08-22T00:00:00Z');

  const open = async (): Promise<DocumentStore> => {
    for (const name of collections) await mongo.db.collection(name).deleteMany({});
    return createMongoDocuments(mongo.db);
  };
  const importOf = async (
    documents: DocumentStore,
    given: Revisions,
    files: readonly Collection[],
    prune: boolean,
  ) => {
    const paths = files.map((name) => {
      const list = given[name].map(
        (revision, index) => revision !== undefined && documentsOf(revision)[name][index],
      );
      return folder.write(
        name,
        list.filter((document) => typeof document === 'object'),
      );
    });
    return importHere(documents, await Promise.all(paths), { prune });
  };

  const anyRun = fc.asyncProperty(anyImport, async ({ before, input, files, prune, cut }) => {
    const documents = await open();
    await importOf(documents, before, collections, false);
    const none = { artists: [], history: [], labels: [] };
    const given: Revisions = {
      ...none,
      ...Object.fromEntries(files.map((name) => [name, input[name]])),
    };
    const after = expectedAfter(before, given, (name) => prune && files.includes(name));
    const run = (by = documents) => importOf(by, given, files, prune);
    if (after === undefined) {
      const told = await run().catch(({ message }: Error) => ({ refused: message }));
      expect(told).to.have.property('refused').that.is.not.empty;
      expect((await read(documents)).stored).to.deep.equal(before);
      return;
    }
    if (cut !== null) {
      await run(cutAfter(documents, cut)).catch((failure: Error) =>
        expect(failure.message).to.equal('cut'),
      );
      const { artists, stored } = await read(documents);
      for (const [index, artist] of artists.entries()) {
        if (artist === undefined) continue;
        // A gateway that reads now finds no new series of old data, and one that read it before
        // reads it again.
        if (before.artists[index] === undefined)
          expect(differs(stored, after, index), 'all of a new artist').to.equal(false);
        else if (differs(before, stored, index)) {
          expect(stored.artists[index]).to.equal(after.artists[index] ?? before.artists[index]);
          expect(changedAt(artist)).to.be.greaterThan(writtenAt);
        }
      }
    }
    const counts = await run();
    if (cut === null) expect(counts).to.deep.equal(countsOf(before, given, after));
    const { artists, stored } = await read(documents);
    expect(stored).to.deep.equal(after);
    for (const [index, artist] of artists.entries()) {
      if (artist === undefined) continue;
      expect(artist).to.not.have.property('series_unfinished');
      const was = before.artists[index];
      const isKept = was === after.artists[index] && !differs(before, after, index);
      if (was !== undefined) expect(changedAt(artist)).to.equal(isKept ? writtenAt : importedAt);
    }
    expect(await run(), 'again').to.deep.equal(countsOf(after, given, after));
  });

  it('leaves what files and store make together, also when one before it was interrupted, and counts it', async () => {
    await createMongoIndexes(mongo.db).create();
    await fc.assert(anyRun, { numRuns: 150 });
  });
});
