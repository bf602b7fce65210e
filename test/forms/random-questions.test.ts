import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Db } from 'mongodb';
import { forms } from '../../adapters/forms/forms.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { documentSchema } from '../../tools/import/document-rules.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';
import { queryParametersOf } from '../support/contract.ts';
import { toBson } from '../support/documents.ts';
import {
  type ChangingShortlist,
  createChangingShortlist,
} from '../support/forms/changing-shortlist.ts';
import {
  currentQuestions,
  oddValues,
  variantQuestions,
} from '../support/forms/random-questions.ts';
import {
  askCurrent,
  naming,
  openRun,
  questionKeySource,
  type Run,
  type Versions,
} from '../support/forms/random-run.ts';
import { type Shortlist, units } from '../support/forms/random-shortlist.ts';
import { createTestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { createMemoryLog } from '../support/log.ts';
import { startMongoServer } from '../support/mongo-server.ts';
import { openReadyRedisQuotas } from '../support/redis-quotas.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const questions = Number(process.env['RANDOM_QUESTIONS'] ?? 200);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** The stores of a gateway, and how to change what they hold. */
interface Stores {
  readonly options: Pick<TestGatewayOptions, 'source' | 'quotas'>;
  write(before: Shortlist | undefined, after: Shortlist): Promise<void>;
  close(): Promise<void>;
}

const openFiles = async (clock: ManualClock): Promise<Stores> => {
  const { path: folder, write, close } = await createDocumentFolder();
  return {
    options: { source: createEmbeddedCatalogue({ folder, clock, rebaseToToday: false }) },
    write: (_before, { history, labels, artists }) => write({ history, labels, artists }),
    close,
  };
};

/** Writes what changed: the series of an artist before the artist, as an import does. */
const writeChanges = async (
  db: Db,
  before: Shortlist | undefined,
  after: Shortlist,
): Promise<void> => {
  const previous = new Set(before?.artists);
  const gone =
    before?.artists.filter(({ id }) => !after.artists.some((artist) => artist.id === id)) ?? [];
  const changed = after.artists.filter((artist) => !previous.has(artist));
  for (const { id } of [...changed, ...gone])
    await db.collection('history').deleteMany({ artist_id: id });
  const series = after.history.filter(({ artist_id }) =>
    changed.some(({ id }) => id === artist_id),
  );
  if (series.length > 0)
    await db.collection('history').insertMany(series.map((one) => ({ ...one })));
  for (const { id } of [...changed, ...gone]) await db.collection('artists').deleteOne({ id });
  if (changed.length > 0)
    await db.collection('artists').insertMany(changed.map((artist) => toBson({ ...artist })));
  if (before?.labels === after.labels) return;
  await db.collection('labels').deleteMany({});
  await db.collection('labels').insertMany(after.labels.map((label) => ({ ...label })));
};

/** In milliseconds: a busy machine may take longer than the default. */
const storeTimeoutMs = 5_000;

const openMongoAndRedis = async (clock: ManualClock): Promise<Stores> => {
  const [server, redis] = await Promise.all([startMongoServer(), startRedisServer()]);
  const { db, close } = openMongo(server.url(`gateway_${randomUUID().slice(0, 8)}`));
  const { quotas } = await openReadyRedisQuotas(redis.url(), clock, storeTimeoutMs);
  const source = createMongoCatalogue(db);
  const histories = createMongoHistory(db, { timeoutMs: storeTimeoutMs, log: createMemoryLog() });
  return {
    options: {
      source: { load: () => source.load(), read: (artist) => histories.read(artist) },
      quotas,
    },
    write: (before, after) => writeChanges(db, before, after),
    async close() {
      await quotas.close();
      await close();
      await Promise.all([server.stop(), redis.stop()]);
    },
  };
};

/** Instants at which days, months and years begin and end. */
const instants = [
  '2026-08-22T12:00:00.000Z',
  '2028-02-29T23:59:59.999Z',
  '2027-01-01T00:00:00.000Z',
  '2026-03-01T00:00:00.000Z',
];

/** Asks each odd value alone, so that no day depends on which of them are drawn. */
const askOddValues = async (run: Run, shortlist: ChangingShortlist): Promise<void> => {
  for (const route of ['artists', 'added', 'spikes'] as const)
    for (const [name, values] of Object.entries(oddValues))
      for (const value of values) {
        const pairs = [{ name, value }];
        const question = { route, id: '', pairs, scopes: 'reads', after: undefined } as const;
        const asked = askCurrent(run, question, [shortlist.now()], false);
        await naming('an odd value', question, asked);
      }
};

/** Every fifth question is asked while the shortlist changes. */
const questionsPerChange = 5;

const runQuestions = async (
  run: Run,
  stores: Stores,
  shortlist: ChangingShortlist,
): Promise<void> => {
  for (const [index, question] of fc
    .sample(currentQuestions(run.today), { seed, numRuns: questions })
    .entries()) {
    const ask = (versions: Versions): Promise<void> =>
      naming(
        `question ${index} of FUZZ_SEED=${seed}`,
        question,
        askCurrent(run, question, versions, index % 2 === 0),
      );
    const before = shortlist.now();
    if (index % questionsPerChange !== 0) {
      await ask([before]);
      continue;
    }
    const after = shortlist.change();
    const changed = stores.write(before, after).then(() => run.gateway.gateway.catalogue.refresh());
    await Promise.all([changed, ask([before, after])]);
    await ask([after]);
  }
};

describe('random questions', () => {
  for (const form of forms) {
    it(`ask for every parameter of the ${form.name} form`, () => {
      const asked = form.name === 'current' ? currentQuestions('2026-08-22') : variantQuestions;
      const drawn = fc.sample(asked, { seed, numRuns: 5_000 });
      for (const { path, name } of queryParametersOf(form)) {
        const routes = drawn
          .filter(({ pairs }) => pairs.some((pair) => pair.name === name))
          .map(({ route }) => route);
        expect(
          routes.some((route) => path === `/api/v1/${route}`),
          `${path} ${name} in test/support/forms/random-questions.ts`,
        ).to.equal(true);
      }
    });
  }

  it('are about artists with every member of the format', () => {
    const drawn = fc.sample(units('2026-08-22', fc.constant('art_a')), { seed, numRuns: 200 });
    const members = new Set(drawn.flatMap((unit) => Object.keys(unit(0).artist)));
    const names = Object.keys(documentSchema('artists').properties ?? {});
    expect([...members], 'test/support/forms/random-shortlist.ts').to.include.members(names);
  });

  const runsAll = process.env['EXAMPLE_RUNS'] === 'all';
  for (const { name, open } of [
    { name: 'files', open: openFiles },
    ...(runsAll ? [{ name: 'MongoDB and Redis', open: openMongoAndRedis }] : []),
  ]) {
    it(`over ${name} match the specification while the shortlist changes (FUZZ_SEED=${seed})`, async function () {
      this.timeout(120_000 + questions * 100);
      const now = instants[seed % instants.length] ?? '';
      const today = now.slice(0, 10);
      // Redis' own time passes
      const clock = { ...createManualClock(now), elapsed: systemClock().elapsed };
      const stores = await open(clock);
      const shortlist = createChangingShortlist(
        today,
        seed,
        Math.ceil(questions / questionsPerChange),
      );
      await stores.write(undefined, shortlist.now());
      const settings = { STORE_TIMEOUT_MS: String(storeTimeoutMs) };
      const gateway = await createTestGateway({
        ...stores.options,
        clock,
        keys: questionKeySource,
        settings,
      });
      const run = openRun(gateway);
      try {
        if (name === 'files') await askOddValues(run, shortlist);
        await runQuestions(run, stores, shortlist);
        expect([...run.outcomes]).to.include.members([
          'current 200',
          'current 400',
          'current after a cursor 200',
        ]);
      } finally {
        await gateway.close();
        await stores.close();
      }
    });
  }
});
