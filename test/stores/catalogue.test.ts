import { expect } from 'chai';
import fc from 'fast-check';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createConfirmations } from '../../adapters/stores/mongodb/empty-collections.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { identityOf } from '../../src/catalogue/snapshot.ts';
import type { CatalogueContents, CatalogueSource, HistorySource } from '../../src/ports.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { insertDocuments, readFixtures, type StoredDocuments } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

/**
 * The last good copy (decisions, "Freshness and caching") as one law: after any changes each store
 * serves and reports what the model below says, also after a restart.
 */

const collections = ['artists', 'history', 'labels'] as const;
type Collection = (typeof collections)[number];

/** `odd`: a member or a point of it cannot be read; `broken`: nothing of it can. */
type State = 'good' | 'odd' | 'broken' | 'none';
interface Stored {
  readonly state: State;
  readonly revision: number;
  /** Minutes: its `updated_at`. */
  readonly at: number;
  /** Of an artist: its series, with a value of this revision. */
  readonly series: State;
  readonly value: number;
}
const nothing: Stored = { state: 'none', revision: 0, at: 0, series: 'none', value: 0 };
interface World {
  readonly artists: readonly Stored[];
  readonly labels: readonly Stored[];
  /** Collections whose documents are gone without having been removed. */
  readonly lost: Readonly<Record<Collection, boolean>>;
  /** The last confirmation that a collection is empty. */
  readonly confirmed: Readonly<Record<Collection, number>>;
}

const good = (revision: number): Stored => ({
  ...{ state: 'good', revision, at: 1, series: 'good', value: revision },
});
const begin: World = {
  artists: [good(1), nothing, good(2)],
  labels: [good(3), nothing, good(4)],
  lost: { artists: false, history: false, labels: false },
  confirmed: { artists: 0, history: 0, labels: 0 },
};

const state = fc.constantFrom<State>('good', 'good', 'odd', 'broken', 'none');
/** The document in the last place never changes: a collection is empty only if it is lost. */
const place = fc.nat(1);
const step = {
  artist: fc.record({
    kind: fc.constant('artist' as const),
    place,
    state,
    series: state,
    isNewer: fc.boolean(),
  }),
  label: fc.record({ kind: fc.constant('label' as const), place, state }),
  /** Loses a collection, or brings it back. */
  lose: fc.record({ kind: fc.constant('lose' as const), name: fc.constantFrom(...collections) }),
  /** Confirms that a lost collection is empty: what was in it is gone for good. */
  confirm: fc.record({
    kind: fc.constant('confirm' as const),
    name: fc.constantFrom(...collections),
  }),
  /** Loses the confirmations, as an older backup does. */
  forget: fc.record({ kind: fc.constant('forget' as const) }),
};
type Step = {
  [Kind in keyof typeof step]: (typeof step)[Kind] extends fc.Arbitrary<infer One> ? One : never;
}[keyof typeof step];

const apply = (world: World, step: Step, revision: number): World => {
  const { artists, labels, lost, confirmed } = world;
  switch (step.kind) {
    case 'artist': {
      if (lost.artists || (lost.history && step.state === 'none')) return world;
      const before = artists[step.place] ?? nothing;
      const at = step.isNewer ? before.at + revision : before.at - 1 / revision;
      // One that is broken, or written while the history is lost, keeps its series.
      const keeps = step.state === 'broken' || lost.history;
      const series = keeps ? {} : { series: step.series, value: revision };
      const next = { ...before, ...series, state: step.state, revision, at };
      return {
        ...world,
        artists: artists.with(step.place, step.state === 'none' ? nothing : next),
      };
    }
    case 'label': {
      const next = { ...nothing, state: step.state === 'odd' ? 'good' : step.state, revision };
      return lost.labels ? world : { ...world, labels: labels.with(step.place, next) };
    }
    case 'lose':
      return { ...world, lost: { ...lost, [step.name]: !lost[step.name] } };
    case 'forget':
      return { ...world, confirmed: begin.confirmed };
    case 'confirm': {
      if (!lost[step.name]) return world;
      const none = (one: Stored): Stored =>
        step.name === 'history' ? { ...one, series: 'none' } : nothing;
      return {
        artists: step.name === 'labels' ? artists : artists.map(none),
        labels: step.name === 'labels' ? labels.map(none) : labels,
        lost: { ...lost, [step.name]: false },
        confirmed: { ...confirmed, [step.name]: revision },
      };
    }
  }
};

/** What is stored. */
const [template = {}] = readFixtures().artists;
const documentsOf = ({ artists, labels, lost }: World) => {
  const stored = (
    name: Collection,
    list: readonly Stored[],
    make: (one: Stored, index: number) => Record<string, unknown>,
  ) =>
    list.flatMap((one, index) =>
      lost[name] || one[name === 'history' ? 'series' : 'state'] === 'none'
        ? []
        : [make(one, index)],
    );
  return {
    artists: stored('artists', artists, ({ state, revision, at }, index) => ({
      ...{ ...template, _id: `a${index}`, id: `art_${index}`, songs: [] },
      name: state === 'broken' ? 7 : `Artist ${revision}`,
      country_code: state === 'odd' ? 'Portugal' : 'PT',
      updated_at: new Date(Date.UTC(2026, 7, 1) + at * 60_000).toISOString(),
    })),
    history: stored('history', artists, ({ series, value }, index) => {
      const points = [
        { date: '2026-08-18', value },
        { date: '2026-08-19', value: series === 'odd' ? 'x' : value },
      ];
      const own = { _id: `s${index}`, artist_id: `art_${index}`, metric: 'monthly_listeners' };
      return { ...own, points: series === 'broken' ? 'none' : points };
    }),
    labels: stored('labels', labels, ({ state, revision }, index) => ({
      ...{ _id: `l${index}`, name: `L${index}` },
      aliases: state === 'broken' ? 7 : [`${revision}`],
    })),
  };
};

/** What a gateway serves of an artist, and what it reports of it. */
interface Shown {
  readonly name: string;
  readonly country: string | undefined;
  readonly recent: readonly number[];
  readonly at: number;
  readonly faults: readonly string[];
}
interface Memory {
  readonly artists: ReadonlyMap<number, Shown>;
  readonly labels: ReadonlyMap<number, string>;
  readonly faults: readonly string[];
  /** Faults of artists that never could be read. */
  readonly leftOut: readonly string[];
  /** The confirmation that each collection had when it last had documents. */
  readonly known: ReadonlyMap<Collection, number>;
}
const fresh: Memory = {
  artists: new Map(),
  labels: new Map(),
  faults: [],
  leftOut: [],
  known: new Map(),
};
const unreadable = 'invalid document, serving previous version';
const silent = 'content changed without a newer updated_at';

const isEmpty = ({ artists, labels, lost }: World, name: Collection): boolean =>
  lost[name] ||
  (name === 'labels' ? labels : artists).every(
    (one) => (name === 'history' ? one.series : one.state) === 'none',
  );
/** Collections whose previous copy is served. Without served labels there is nothing to keep. */
const suspects = (world: World, { known, labels }: Memory): readonly Collection[] =>
  collections.filter((name) => {
    const before = known.get(name);
    if (!isEmpty(world, name) || before === undefined) return false;
    return world.confirmed[name] <= before && (name !== 'labels' || labels.size > 0);
  });

/** What the next load serves and reports. Files report of a broken artist what else is wrong, too. */
const loadOf = (world: World, before: Memory, isFiles = false): Memory => {
  const kept = suspects(world, before);
  const faults = kept.map((name) => `collection empty, serving previous copy: ${name}`);
  const seriesFaults = (index: number): readonly string[] => {
    const { series = 'none' } = (world.lost.history ? undefined : world.artists[index]) ?? {};
    if (series === 'odd') return ['invalid field ignored: history points.1.value'];
    return series === 'broken' ? ['invalid document ignored: history points'] : [];
  };
  const artists = new Map<number, Shown>();
  const leftOut: string[] = [];
  for (const [index, stored] of (world.lost.artists ? [] : world.artists).entries()) {
    const previous = before.artists.get(index);
    if (stored.state === 'none') continue;
    const told = [...seriesFaults(index)];
    if (stored.state === 'broken') {
      const more = isFiles
        ? [...told, ...(previous?.faults ?? []).filter((one) => one === silent)]
        : [];
      if (previous !== undefined)
        artists.set(index, { ...previous, faults: [`${unreadable}: artists name`, ...more] });
      else leftOut.push('invalid document ignored: artists name', ...more);
      continue;
    }
    if (stored.state === 'odd') told.push('invalid field ignored: artists country_code');
    const values = {
      good: [stored.value, stored.value],
      odd: [stored.value],
      broken: [],
      none: [],
    };
    const isKept = kept.includes('history');
    const recent = isKept
      ? (previous?.recent ?? [])
      : world.lost.history
        ? []
        : values[stored.series];
    const name = `Artist ${stored.revision}`;
    const isOther = previous !== undefined && previous.name !== name;
    const wasTold = previous?.faults.includes(silent) === true && stored.at <= previous.at;
    const isSilent = isOther ? stored.at <= previous.at : wasTold;
    artists.set(index, {
      ...{ name, country: stored.state === 'odd' ? undefined : 'PT', recent, at: stored.at },
      faults: isSilent ? [...told, silent] : told,
    });
  }
  const labels = new Map<number, string>();
  const storedLabels = world.lost.labels && !kept.includes('labels') ? [] : world.labels;
  for (const [index, { state, revision }] of storedLabels.entries()) {
    const previous = before.labels.get(index);
    if (state === 'good') labels.set(index, `${revision}`);
    if (state !== 'broken' || kept.includes('labels')) continue;
    if (previous !== undefined) labels.set(index, previous);
    faults.push(
      `${previous === undefined ? 'invalid document ignored' : unreadable}: labels aliases`,
    );
  }
  const isKnown = (name: Collection): [Collection, number | undefined] => [
    name,
    isEmpty(world, name) ? before.known.get(name) : world.confirmed[name],
  ];
  const ofKept = ([index, shown]: [number, Shown]): [number, Shown] => [
    index,
    isFiles
      ? {
          ...shown,
          faults: [...seriesFaults(index), ...shown.faults.filter((one) => one === silent)],
        }
      : shown,
  ];
  return {
    artists: kept.includes('artists') ? new Map([...before.artists].map(ofKept)) : artists,
    labels: kept.includes('labels') ? before.labels : labels,
    faults,
    leftOut: !kept.includes('artists') ? leftOut : isFiles ? [] : before.leftOut,
    known: new Map(
      collections.map(isKnown).filter((one): one is [Collection, number] => one[1] !== undefined),
    ),
  };
};

/** The same, in lines, of what was loaded. */
const shownOf = ({ artists, labels }: CatalogueContents) => ({
  artists: artists
    .map(({ artist: { id, name, countryCode }, recent }) =>
      [id.slice(4), name, countryCode, ...recent.flatMap(({ values }) => values)].join(' '),
    )
    .toSorted(),
  labels: labels.map(({ name, aliases }) => `${name.slice(1)} ${aliases}`).toSorted(),
});
const expectedOf = ({ artists, labels }: Memory): ReturnType<typeof shownOf> => ({
  artists: [...artists]
    .map(([index, { name, country, recent }]) => [index, name, country, ...recent].join(' '))
    .toSorted(),
  labels: [...labels].map((label) => label.join(' ')).toSorted(),
});
const reportedOf = ({ faults }: CatalogueContents): readonly string[] =>
  faults
    .map(({ event, collection, reason }) => {
      if (event === silent) return silent;
      const path = event.startsWith('collection') ? '' : ` ${reason.split(':')[0]}`;
      return `${event}: ${collection}${path}`;
    })
    .toSorted();
const reportsOf = ({ artists, faults, leftOut }: Memory): readonly string[] =>
  [...faults, ...leftOut, ...[...artists.values()].flatMap((one) => one.faults)].toSorted();

/** Changes, after each of which a gateway loads and perhaps starts again. */
const anySteps = (...kinds: readonly fc.Arbitrary<Step>[]) =>
  fc.array(fc.record({ step: fc.oneof(...kinds), restarts: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  });
const firstLoad = { step: undefined, restarts: false };

/** A store, and how to change its documents. */
interface Subject {
  readonly load: () => Promise<CatalogueContents>;
  readonly histories: HistorySource;
  /** Goes on in another process. */
  restart?(): void;
}

describe('the last good copy of the catalogue', () => {
  const mongo = useMongo();
  const cleanup = useCleanup(afterEach);

  const write = async (world: World): Promise<void> => {
    await insertDocuments(mongo.db, documentsOf(world));
    const confirmations = mongo.db.collection<{ _id: string }>('catalogue_confirmations');
    await confirmations.deleteMany({});
    for (const [name, at] of Object.entries(world.confirmed))
      if (at > 0)
        await confirmations.insertOne({ _id: name, emptied_at: new Date(at) } as { _id: string });
  };
  const openMongo = () => {
    const confirmations = createConfirmations();
    const options = { timeoutMs: 5_000, log: createMemoryLog(), confirmations };
    return {
      source: createMongoCatalogue(mongo.db, confirmations),
      histories: createMongoHistory(mongo.db, options),
    };
  };

  /** A gateway over MongoDB, which may start again. */
  const openDatabase = (): Subject => {
    let { source, histories } = openMongo();
    return {
      load: () => source.load(),
      histories: { read: (artist) => histories.read(artist) },
      restart() {
        ({ source, histories } = openMongo());
      },
    };
  };

  /** Loads, and expects what the model says, of both. */
  const expectServed = async (
    { load, histories, restart }: Subject,
    world: World,
    before: Memory,
  ) => {
    const contents = await load();
    const memory = loadOf(world, before, restart === undefined);
    expect(shownOf(contents)).to.deep.equal(expectedOf(memory));
    expect(reportedOf(contents)).to.deep.equal(reportsOf(memory));
    expect(await load(), 'the same while nothing changes').to.equal(contents);
    const kept = suspects(world, before).filter((name) => name !== 'labels');
    for (const { artist } of contents.artists) {
      const { state, series } = world.artists[Number(artist.id.slice(4))] ?? nothing;
      const read = await histories.read(artist).catch(({ message }: Error) => message);
      if (typeof read === 'string')
        expect(read).to.match(new RegExp(`the collection (${kept.join('|')}) is empty`));
      else if (kept.length === 0 && !world.lost.history && state !== 'broken')
        expect(read.complete).to.equal(series !== 'odd' && series !== 'broken');
    }
    return { contents, memory };
  };

  const runs = { numRuns: Number(process.env['LAW_RUNS'] ?? 30) };

  it('is served and reported by files after any changes', async () => {
    const anyChanges = anySteps(step.artist, step.artist, step.label, step.lose);
    const law = fc.asyncProperty(anyChanges, async (steps) => {
      const { path: folder, write: writeFiles, close } = await createDocumentFolder();
      cleanup.add(close, (end) => end());
      const clock = createManualClock();
      const files = createEmbeddedCatalogue({ folder, clock, rebaseToToday: false });
      let [world, memory] = [begin, fresh];
      for (const [index, { step }] of [firstLoad, ...steps].entries()) {
        if (step !== undefined) world = apply(world, step, index + 10);
        await writeFiles(documentsOf(world));
        const subject = { load: () => files.load(), histories: files };
        ({ memory } = await expectServed(subject, world, memory));
      }
    });
    await fc.assert(law, runs);
  });

  it('is served and reported by every replica over MongoDB, even after confirmations and restarts', async () => {
    const { artist, label, lose, confirm, forget } = step;
    const anyChanges = anySteps(artist, artist, label, lose, confirm, forget);
    const law = fc.asyncProperty(anyChanges, async (steps) => {
      const subject = openDatabase();
      let [world, memory] = [begin, fresh];
      /** What was served with each tag. */
      const byTag = new Map<string, string>();
      for (const [index, { step, restarts }] of [firstLoad, ...steps].entries()) {
        if (step !== undefined) world = apply(world, step, index + 10);
        // the tags of an emptied history depend on its confirmation
        if (step?.kind === 'forget') byTag.clear();
        await write(world);
        const next = await expectServed(subject, world, memory);
        memory = next.memory;
        for (const listed of next.contents.artists) {
          const [tag, shown] = [identityOf(listed), JSON.stringify([listed.artist, listed.recent])];
          expect(byTag.get(tag) ?? shown, 'one tag, one content').to.equal(shown);
          byTag.set(tag, shown);
        }
        if (reportsOf(memory).every((one) => /^invalid (field|document) ignored/.test(one))) {
          const replica = await openMongo().source.load();
          expect(replica.artists.map(identityOf)).to.deep.equal(
            next.contents.artists.map(identityOf),
          );
        }
        if (!restarts) continue;
        subject.restart?.();
        memory = fresh;
        byTag.clear();
      }
    });
    await fc.assert(law, runs);
  });
});

type Documents = Pick<StoredDocuments, 'artists' | 'history' | 'labels'>;

const id = 'art_4jt8re';
const find = ({ artists }: CatalogueContents) => artists.find(({ artist }) => artist.id === id);

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

      for (const [what, broken] of [
        ['a series', { history: history.map((one) => ({ ...one, points: 'none' })) }],
        ['a field', { artists: artists.map((one) => ({ ...one, country_code: 'Portugal' })) }],
      ] as const)
        it(`changes the tag of an artist when ${what} is fixed without \`updated_at\``, async () => {
          await write(broken);
          const before = (await source.load()).artists.map(identityOf);
          await write();
          const contents = await source.load();
          const fixed = contents.artists.filter((one, index) => identityOf(one) !== before[index]);
          expect(fixed).not.to.deep.equal([]);
          expect(contents.faults.map(({ event }) => event)).to.deep.equal(
            fixed.map(() => 'content changed without a newer updated_at'),
          );
        });
    });
});
