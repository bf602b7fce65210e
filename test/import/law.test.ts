import { expect } from 'chai';
import fc from 'fast-check';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { changedAt } from '../../tools/import/to-stored.ts';
import { importedAt, importHere, noCounts } from '../support/cli/import-here.ts';
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
 * The revision of each artist, of each day of each series and of each label that there may be: three
 * artists, two series of each with two days, two labels.
 */
type Revisions = Readonly<Record<Collection, readonly (number | undefined)[]>>;
const days = ['2026-08-01', '2026-08-02'];

/** The documents that have something of these revisions. */
const documentsOf = (
  revisions: Partial<Revisions>,
): Readonly<Record<Collection, readonly Document[]>> => {
  const { artists = [], history = [], labels = [] } = revisions;
  const givenOf = (list: readonly (number | undefined)[], make: (index: number) => Document) =>
    list.flatMap((revision, index) => (revision === undefined ? [] : [make(index)]));
  return {
    artists: givenOf(artists, (index) => ({
      ...artistDocuments(3)[index],
      metrics: { monthly_listeners: artists[index] },
    })),
    history: seriesDocuments(3).flatMap((series, index) => {
      const points = givenOf(history.slice(2 * index, 2 * index + 2), (day) => ({
        date: days[day],
        value: history[2 * index + day],
      }));
      return points.length === 0 ? [] : [{ ...series, points }];
    }),
    labels: givenOf(labels, (index) => ({
      name: ['Tidemark', 'Korvane'][index],
      aliases: [String(labels[index])],
    })),
  };
};

/** The four days of the two series of an artist, by their place. */
const daysOf = (artist: number): readonly number[] => [0, 1, 2, 3].map((day) => 4 * artist + day);
const differs = (one: Revisions, other: Revisions, artist: number): boolean =>
  daysOf(artist).some((day) => one.history[day] !== other.history[day]);
const artistOf = (day: number): number => Math.floor(day / 4);

/** A catalogue without the series of artists that it does not have. */
const withoutOrphans = ({ artists, history, labels }: Revisions): Revisions => ({
  artists,
  history: history.map((one, day) => (artists[artistOf(day)] === undefined ? undefined : one)),
  labels,
});

type Prunes = (name: Collection) => boolean;

/** What files and store make together. */
const mergedAfter = (before: Revisions, given: Revisions, prunes: Prunes): Revisions => {
  const merged = (name: Collection) =>
    before[name].map(
      (revision, index) => given[name][index] ?? (prunes(name) ? undefined : revision),
    );
  return { artists: merged('artists'), history: merged('history'), labels: merged('labels') };
};

/** Whether an import refuses its input, after which this would be stored. */
const isRefused = (given: Revisions, { artists }: Revisions, prunes: Prunes): boolean =>
  given.history.some(
    (revision, day) => revision !== undefined && artists[artistOf(day)] === undefined,
  ) ||
  (prunes('artists') && given.artists.every((revision) => revision === undefined));

type Slots = readonly (number | undefined)[];
const isNone = (slots: Slots): boolean => slots.every((slot) => slot === undefined);

/** The two days of each series. */
const seriesIn = (history: Slots): readonly Slots[] =>
  Array.from({ length: 6 }, (_, series) => [0, 1].map((day) => history[2 * series + day]));

/**
 * The counts of an import that leaves `after`, where one that prunes would leave `pruned`.
 * `withMembers`: artists that have a member which the input does not have.
 */
const countsOf = (
  before: Revisions,
  given: Revisions,
  after: Revisions,
  pruned: Revisions,
  withMembers: number,
) => {
  type Level = Readonly<Record<'before' | 'given' | 'after' | 'pruned', readonly Slots[]>>;
  const levelOf = (slotsOf: (catalogue: Revisions) => readonly Slots[]): Level => ({
    before: slotsOf(before),
    given: slotsOf(given),
    after: slotsOf(after),
    pruned: slotsOf(pruned),
  });
  const none = () => false;
  type IsSo = (index: number) => boolean;
  const count = (level: Level, isTouched: IsSo = none, losesMembers: IsSo = none) => {
    const counts = { ...noCounts };
    for (const [index, was] of level.before.entries()) {
      const [is = [], will = [], input = []] = [level.after, level.pruned, level.given].map(
        (slots) => slots[index],
      );
      if (isNone(was)) counts.created += isNone(is) ? 0 : 1;
      else if (isNone(is)) counts.removed += 1;
      else if (isNone(will) && isNone(input)) counts.kept += 1;
      if (isNone(was) || isNone(is)) continue;
      if (losesMembers(index) || was.some((slot, day) => slot !== is[day])) counts.changed += 1;
      else if (isTouched(index)) counts.touched += 1;
      else if (!isNone(input)) counts.unchanged += 1;
    }
    return counts;
  };
  const each = (name: Collection) => levelOf((catalogue) => catalogue[name].map((slot) => [slot]));
  /** Of series that both have. */
  const both = seriesIn(before.history).map(
    (was, index) => !isNone(was) && !isNone(seriesIn(given.history)[index] ?? []),
  );
  const ofBoth = levelOf(({ history }) =>
    history.map((slot, day) => [both[Math.floor(day / 2)] === true ? slot : undefined]),
  );
  const isPruned = pruned === after;
  const members = { ...noCounts, [isPruned ? 'removed' : 'kept']: withMembers };
  return {
    artists: count(
      each('artists'),
      (index) => differs(before, after, index),
      (index) => isPruned && withMembers > 0 && given.artists[index] !== undefined,
    ),
    series: count(levelOf(({ history }) => seriesIn(history))),
    days: count(ofBoth),
    members,
    labels: count(each('labels')),
    orphans: { kept: 0, removed: 0 },
  };
};

const revisions = (length: number) =>
  fc.array(fc.constantFrom(0, 0, 1, undefined), { minLength: length, maxLength: length });
const anyCatalogue = fc.record({
  artists: revisions(3),
  history: revisions(12),
  labels: revisions(2),
});
const anyImport = fc.record({
  before: anyCatalogue.map(withoutOrphans),
  input: anyCatalogue,
  files: fc.subarray([...collections], { minLength: 1 }),
  prune: fc.boolean(),
  /** Whether somebody keeps members of their own in the stored artists. */
  members: fc.boolean(),
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
  const { add, update, remove } = inner;
  return {
    ...inner,
    add: cutting(add),
    update: cutting(update),
    remove: cutting(remove),
  };
};

/** What is stored, as revisions, and the artists. */
const read = async (documents: DocumentStore) => {
  const all = async (name: Collection): Promise<Document[]> => {
    const found: Document[] = [];
    for await (const document of documents.find(name)) found.push(document);
    return found;
  };
  const [artists, history, labels] = [
    await all('artists'),
    await all('history'),
    await all('labels'),
  ];
  const full = documentsOf({ artists: [0, 0, 0], history: Array(12).fill(0), labels: [0, 0] });
  const keyOf = ({ id, artist_id, metric, name }: Document): string =>
    String(id ?? (artist_id === undefined ? name : `${artist_id} ${metric}`));
  const inOrder = (found: readonly Document[], name: Collection) =>
    full[name].map((document) => found.find((one) => keyOf(one) === keyOf(document)));
  const revisionIn = (document: Document | undefined, pattern: RegExp): number | undefined => {
    const [, digit] = pattern.exec(JSON.stringify(document ?? {})) ?? [];
    return digit === undefined ? undefined : Number(digit);
  };
  const stored: Revisions = {
    artists: inOrder(artists, 'artists').map((one) => revisionIn(one, /listeners":(\d)/)),
    history: inOrder(history, 'history').flatMap((one) =>
      days.map((day) => revisionIn(one, new RegExp(`"${day}","value":(\\d)`))),
    ),
    labels: inOrder(labels, 'labels').map((one) => revisionIn(one, /aliases":\["(\d)/)),
  };
  return { artists: inOrder(artists, 'artists'), stored };
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
      return folder.write(name, documentsOf(given)[name]);
    });
    return importHere(documents, await Promise.all(paths), { prune });
  };

  const own = { owner: 'eve', 'links.crm': 'https://crm.example' };
  const hasOwn = ({ owner, links }: Document): boolean =>
    owner === 'eve' && JSON.stringify(links) === '{"crm":"https://crm.example"}';
  const hasNone = ({ owner, links }: Document): boolean =>
    owner === undefined && JSON.stringify(links) === '{}';

  const anyRun = fc.asyncProperty(
    anyImport,
    async ({ before, input, files, prune, members, cut }) => {
      const documents = await open();
      await importOf(documents, before, collections, false);
      if (members) await mongo.db.collection('artists').updateMany({}, { $set: own });
      const none = { artists: [], history: [], labels: [] };
      const given: Revisions = {
        ...none,
        ...Object.fromEntries(files.map((name) => [name, input[name]])),
      };
      const mayPrune: Prunes = (name) => files.includes(name);
      const prunes: Prunes = (name) => prune && mayPrune(name);
      const merged = mergedAfter(before, given, prunes);
      const pruned = withoutOrphans(mergedAfter(before, given, mayPrune));
      const after = prune ? pruned : withoutOrphans(merged);
      const ofBoth = before.artists.filter(
        (was, index) => members && was !== undefined && given.artists[index] !== undefined,
      );
      const extra = 2 * ofBoth.length;
      const run = (by = documents) => importOf(by, given, files, prune);
      if (isRefused(given, merged, prunes)) {
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
      if (cut === null) expect(counts).to.deep.equal(countsOf(before, given, after, pruned, extra));
      const { artists, stored } = await read(documents);
      expect(stored).to.deep.equal(after);
      for (const [index, artist] of artists.entries()) {
        if (artist === undefined) continue;
        expect(artist).to.not.have.property('series_unfinished');
        const was = before.artists[index];
        const isPruned = members && prune && given.artists[index] !== undefined;
        if (was !== undefined) expect(artist).to.satisfy(members && !isPruned ? hasOwn : hasNone);
        const isKept = was === after.artists[index] && !differs(before, after, index) && !isPruned;
        if (was !== undefined) expect(changedAt(artist)).to.equal(isKept ? writtenAt : importedAt);
      }
      expect(await run(), 'again').to.deep.equal(
        countsOf(after, given, after, pruned, prune ? 0 : extra),
      );
    },
  );

  it('leaves what files and store make together, also when one before it was interrupted, and counts it', async () => {
    await createMongoIndexes(mongo.db).create();
    await fc.assert(anyRun, { numRuns: 150 });
  });
});
