import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Db } from 'mongodb';
import { currentForm } from '../../adapters/forms/current/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { type Json, listAt, parseJson, textAt, valueAt } from '../../src/domain/json.ts';
import { byCodePoint } from '../../src/domain/order.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { weakMemo } from '../../src/runtime/memo.ts';
import { itemsIn } from '../../tools/compare/cases/send-request.ts';
import { listChecks } from '../../tools/compare/checks/comparison.ts';
import { createLabelSearch } from '../../tools/compare/checks/expected-labels.ts';
import { invariantLines } from '../../tools/compare/checks/invariants.ts';
import type { WholeShortlist } from '../../tools/compare/checks/list-check.ts';
import { readStoredCatalogue } from '../../tools/compare/checks/stored-documents.ts';
import { compareWithStored } from '../../tools/compare/checks/stored-lists.ts';
import { isUnexpected } from '../../tools/compare/results.ts';
import { documentSchema } from '../../tools/import/document-rules.ts';
import { byForm } from '../../tools/migration/mapping/forms.ts';
import { requestedNumber } from '../../tools/migration/mapping/request-rows.ts';
import type { Condition } from '../../tools/migration/mapping/rows.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';
import { spikes } from '../support/compare/open-target.ts';
import { queryParametersOf } from '../support/contract.ts';
import { toBson } from '../support/documents.ts';
import {
  type ChangingShortlist,
  createChangingShortlist,
} from '../support/forms/changing-shortlist.ts';
import {
  askQuestion,
  currentQuestions,
  naming,
  oddValues,
  type Pair,
  type Question,
  queryOf,
  questionKeySource,
  scopeSets,
  targetOf,
  variantQuestions,
} from '../support/forms/random-questions.ts';
import { type Shortlist, units } from '../support/forms/random-shortlist.ts';
import {
  createTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../support/gateway.ts';
import { createMemoryLog } from '../support/log.ts';
import { startMongoServer } from '../support/mongo-server.ts';
import { openReadyRedisQuotas } from '../support/redis-quotas.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const questions = Number(process.env['RANDOM_QUESTIONS'] ?? 200);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** What the decisions refuse and the words of JSON Schema allow. */
const refused: Readonly<Record<string, (value: string) => boolean>> = {
  added_since: (value) => value < '0001-01-01',
  id: (value) => value === '',
};

/** Checks of the current contract for a value, by path below `/api/v1/` and name. */
const parameters = new Map(
  queryParametersOf(currentForm).map(({ path, name, allows }) => [
    `${path.replace('/api/v1/', '')} ${name}`,
    (value: string) => allows(value) && refused[name]?.(value) !== true,
  ]),
);

/** A cursor that the gateway gave, and what it stands for. */
interface KnownCursor {
  readonly text: string;
  /** The filters of the page, as the query had them. */
  readonly filters: readonly Pair[];
  /** The last artist of the page. */
  readonly end: Json;
}

/** The filters of a query; an empty name is none. */
const filtersOf = (pairs: readonly Pair[]): Pair[] =>
  pairs
    .filter(
      ({ name, value }) =>
        ['name', 'id', 'added_since', 'tier'].includes(name) && `${name}=${value}` !== 'name=',
    )
    .sort((left, right) => byCodePoint(left.name, right.name));

/** The documents of a shortlist as the second opinion of `compare` has them. */
const wholeOf = (shortlist: Shortlist): WholeShortlist => {
  const stored = parseJson(JSON.stringify(shortlist)) ?? null;
  const documents = { artists: listAt(stored, 'artists'), series: listAt(stored, 'history') };
  const { artists } = readStoredCatalogue(documents);
  return { artists, findLabel: createLabelSearch(listAt(stored, 'labels')), spikes };
};

/** Artists after the end of a page, in list order. */
const behind = (artists: readonly Json[], end: Json): readonly Json[] =>
  artists.filter((artist) => {
    const [ours, theirs] = [artist, end].map((one) => textAt(one, 'date_added'));
    if (ours === theirs)
      return byCodePoint(textAt(artist, 'id') ?? '', textAt(end, 'id') ?? '') > 0;
    return ours === undefined || (theirs !== undefined && ours < theirs);
  });

const kindOf = ({ route }: Question) =>
  route === 'spikes' || route === 'signings' ? route : 'artists';

/** A question as it was sent, with the cursor that it goes on from. */
interface SentQuestion extends Question {
  readonly cursor: KnownCursor | undefined;
}

/** The status and the code that a question must get: the contract says which values are valid. */
const expectedStatus = (asked: SentQuestion, artists: readonly Json[]): readonly unknown[] => {
  const { route, id, pairs, scopes, cursor } = asked;
  if (queryOf(pairs).length > 2_048) return [431, 'request_header_fields_too_large'];
  if (!scopeSets[scopes].some((scope) => scope === `${kindOf(asked)}:read`))
    return [403, 'insufficient_scope'];
  const success = [200, undefined];
  if (route === 'artist')
    return artists.some((one) => textAt(one, 'id') === id) ? success : [404, 'not_found'];
  if (route === 'signings') return success;
  const isValid = pairs.every(
    ({ name, value, isMalformed }) =>
      !isMalformed &&
      pairs.filter((other) => other.name === name).length === 1 &&
      parameters.get(`${route} ${name}`)?.(value) === true,
  );
  if (!isValid) return [400, 'invalid_parameter'];
  const isKnown =
    cursor !== undefined &&
    JSON.stringify(filtersOf(cursor.filters)) === JSON.stringify(filtersOf(pairs));
  return isKnown || !pairs.some(({ name }) => name === 'cursor')
    ? success
    : [400, 'invalid_cursor'];
};

/** What is wrong with the body of a 200, by the second opinion: members by their path. */
const wrongIn = (asked: SentQuestion, body: Json, whole: WholeShortlist): readonly string[] => {
  const { route, cursor, pairs, scopes } = asked;
  const kind = kindOf(asked);
  const path = targetOf({ ...asked, pairs: pairs.filter(({ name }) => name !== 'cursor') });
  const limit = requestedNumber('current', path.replace('/api/v1', ''), 'limit');
  const answer = {
    ...{ path, replies: [], bodies: [body], items: itemsIn(body), truncated: false },
    limit: limit ?? Number.POSITIVE_INFINITY,
  };
  const facts = {
    ...{ documentIdOf: () => undefined, partner: undefined, now: undefined },
    conditions: new Set<Condition>([
      'every field',
      route === 'artist' ? 'history' : 'a list',
      ...(/[?&]include=history/.test(path) ? (['history'] as const) : []),
    ]),
    hasScope: byForm(() => (scope: string) => scopeSets[scopes].some((one) => one === scope)),
  };
  const artists = cursor === undefined ? whole.artists : behind(whole.artists, cursor.end);
  const list = listChecks[kind];
  if (list === undefined) return ['no check'];
  const blocks = compareWithStored(list, { ...whole, artists }, answer, facts);
  return [...invariantLines(kind, 'current', answer), ...blocks.flatMap(({ lines }) => lines)]
    .filter(isUnexpected)
    .map(
      ({ row, unexpected, left }) => `${row}: ${unexpected} ${JSON.stringify(left?.value ?? null)}`,
    );
};

/** The versions of the shortlist that an answer may be made from: two while it changes. */
type Versions = readonly [Shortlist, ...Shortlist[]];

/** Asks in the current form, and goes on from the pages of earlier answers. */
const createRun = (gateway: TestGateway) => {
  const now = new Date(gateway.clock.now()).toISOString();
  const wholes = weakMemo<Shortlist, WholeShortlist>();
  const cursors: KnownCursor[] = [];
  /** The data that each ETag was sent with. */
  const tags = new Map<string, string>();
  const outcomes = new Set<string>();

  const continued = (question: Question): SentQuestion => {
    const { after, pairs } = question;
    const cursor = after && cursors.at(-1 - after.page);
    if (cursor === undefined) return { ...question, cursor };
    const own = after?.withItsFilters
      ? [...pairs.filter((pair) => filtersOf([pair]).length === 0), ...cursor.filters]
      : pairs;
    return { ...question, pairs: [...own, { name: 'cursor', value: cursor.text }], cursor };
  };

  /** While series change, histories are not looked at. */
  const ask = async (question: Question, versions: Versions, isGzip: boolean): Promise<void> => {
    const asked = continued(question);
    const encoding = isGzip ? { 'Accept-Encoding': 'gzip' } : {};
    const { status, headers, text } = await askQuestion(gateway, 'current', asked, encoding);
    const body = parseJson(text) ?? null;
    outcomes.add(`current ${asked.cursor === undefined ? '' : 'after a cursor '}${status}`);
    const check = async (version: Shortlist): Promise<void> => {
      const whole = wholes(version, () => wholeOf(version));
      const found = [status, textAt(body, 'error.code')];
      expect(found).to.deep.equal(expectedStatus(asked, whole.artists));
      if (status !== 200) return;
      const wrong = wrongIn(asked, body, whole).filter(
        (line) => versions.length === 1 || !/^\S*history\./.test(line),
      );
      expect(wrong.slice(0, 5), `${wrong.length} members are wrong`).to.deep.equal([]);
    };
    await Promise.any(versions.map(check)).catch(({ errors }: AggregateError) => {
      throw errors.at(-1);
    });
    if (status !== 200) return;
    expect(valueAt(body, 'meta.generated_at')).to.equal(now);
    if (versions.length > 1) return;
    const next = textAt(body, 'meta.next_cursor');
    const end = listAt(body, 'data').at(-1);
    if (next !== undefined && end !== undefined)
      cursors.push({ text: next, filters: filtersOf(asked.pairs), end });
    const [data, tag] = [JSON.stringify(valueAt(body, 'data')), String(headers.etag)];
    const before = tags.get(tag) ?? data;
    expect(before === data, `the ETag ${tag} was sent with other data before`).to.equal(true);
    tags.set(tag, data);
    const again = await askQuestion(gateway, 'current', asked, {
      ...encoding,
      'If-None-Match': tag,
    });
    expect(again.status, 'with its own ETag').to.equal(304);
  };
  return { ask, outcomes, today: now.slice(0, 10), gateway };
};

type Run = ReturnType<typeof createRun>;

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
        const asked = run.ask(question, [shortlist.now()], false);
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
        run.ask(question, versions, index % 2 === 0),
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
      const run = createRun(gateway);
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
