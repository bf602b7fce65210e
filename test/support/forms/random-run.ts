import { expect } from 'chai';
import { currentForm } from '../../../adapters/forms/current/form.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { weakMemo } from '../../../src/runtime/memo.ts';
import { itemsIn } from '../../../tools/compare/cases/send-request.ts';
import { listChecks } from '../../../tools/compare/checks/comparison.ts';
import { createLabelSearch } from '../../../tools/compare/checks/expected-labels.ts';
import { invariantLines } from '../../../tools/compare/checks/invariants.ts';
import type { WholeShortlist } from '../../../tools/compare/checks/list-check.ts';
import { readStoredCatalogue } from '../../../tools/compare/checks/stored-documents.ts';
import { compareWithStored } from '../../../tools/compare/checks/stored-lists.ts';
import { isUnexpected } from '../../../tools/compare/results.ts';
import { byForm } from '../../../tools/migration/mapping/forms.ts';
import {
  type Json,
  listAt,
  parseJson,
  textAt,
  valueAt,
} from '../../../tools/migration/mapping/json.ts';
import { requestedNumber } from '../../../tools/migration/mapping/request-rows.ts';
import type { Condition } from '../../../tools/migration/mapping/rows.ts';
import { buildKey, keySourceOf } from '../builders.ts';
import { spikes } from '../compare/open-target.ts';
import { queryParametersOf } from '../contract.ts';
import { decodedText, type TestGateway } from '../gateway.ts';
import { type Adapters, givenOf, withoutMessage } from '../partners/adapter.ts';
import type { RawReply } from '../raw.ts';
import {
  isOverLimit,
  type Pair,
  type Question,
  type Route,
  scopeSets,
  targetOf,
} from './random-questions.ts';
import type { Shortlist } from './random-shortlist.ts';

/**
 * What answers to random questions must be, by others than the gateway: the contract says which
 * values a parameter takes, and the second opinion of `compare` what is listed, from the stored
 * documents.
 */

type Takes = (value: string) => boolean;

/** What the decisions refuse and the words of JSON Schema allow. */
const refused: Readonly<Record<string, Takes>> = {
  added_since: (value) => value < '0001-01-01',
  id: (value) => value === '',
};

/** Checks of the current contract for a value, by path below `/api/v1` and name. */
const parameters = new Map(
  queryParametersOf(currentForm).map(({ path, name, allows }): [string, Takes] => [
    `${path.replace('/api/v1/', '')} ${name}`,
    (value) => allows(value) && refused[name]?.(value) !== true,
  ]),
);

const isValid = (route: Route, pairs: readonly Pair[]): boolean =>
  pairs.every(
    ({ name, value, isMalformed }) =>
      !isMalformed &&
      pairs.filter((other) => other.name === name).length === 1 &&
      parameters.get(`${route} ${name}`)?.(value) === true,
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

const scopeOf: Readonly<Record<Route, string>> = {
  artists: 'artists:read',
  artist: 'artists:read',
  added: 'artists:read',
  spikes: 'spikes:read',
  signings: 'signings:read',
};

/** The documents of a shortlist as the second opinion has them. */
const wholeOf = ({ artists, history, labels }: Shortlist): WholeShortlist => {
  const [documents, series, tracked] = [artists, history, labels].map((all) =>
    all.map((one) => asJson(one)),
  );
  return {
    artists: readStoredCatalogue({ artists: documents ?? [], series: series ?? [] }).artists,
    findLabel: createLabelSearch(tracked ?? []),
    spikes,
  };
};

const asJson = (document: unknown): Json => parseJson(JSON.stringify(document)) ?? null;

/** The status and the code that a question of the current form must have. */
const expectedStatus = (
  { route, id, scopes }: Question,
  pairs: readonly Pair[],
  { artists }: WholeShortlist,
  cursor: KnownCursor | undefined,
): { readonly status: number; readonly code?: string } => {
  if (isOverLimit(pairs)) return { status: 431 };
  if (!scopeSets[scopes].some((scope) => scope === scopeOf[route]))
    return { status: 403, code: 'insufficient_scope' };
  if (route === 'artist')
    return artists.some((one) => textAt(one, 'id') === id)
      ? { status: 200 }
      : { status: 404, code: 'not_found' };
  if (route === 'signings') return { status: 200 };
  if (!isValid(route, pairs)) return { status: 400, code: 'invalid_parameter' };
  const isGiven = pairs.some(({ name }) => name === 'cursor');
  const filters = JSON.stringify(filtersOf(pairs));
  return isGiven && (cursor === undefined || JSON.stringify(filtersOf(cursor.filters)) !== filters)
    ? { status: 400, code: 'invalid_cursor' }
    : { status: 200 };
};

/**
 * Artists after the end of a page, in list order.
 */
const behind = (artists: readonly Json[], end: Json): readonly Json[] => {
  const comesAfter = (artist: Json): boolean => {
    const [ours, theirs] = [artist, end].map((one) => textAt(one, 'date_added'));
    if (ours === theirs)
      return byCodePoint(textAt(artist, 'id') ?? '', textAt(end, 'id') ?? '') > 0;
    return ours === undefined || (theirs !== undefined && ours < theirs);
  };
  return artists.filter(comesAfter);
};

const kinds = {
  artists: 'artists',
  artist: 'artists',
  added: 'artists',
  spikes: 'spikes',
  signings: 'signings',
} as const;

const engine = { name: 'trusted-movement', version: '1.0.0' };

/**
 * What is wrong with the body of a 200 of the current form: members by their path. While series
 * change, histories are not looked at.
 */
const wrongIn = async (
  question: Question,
  pairs: readonly Pair[],
  body: Json,
  {
    whole,
    cursor,
    isChanging,
  }: {
    readonly whole: WholeShortlist;
    readonly cursor: KnownCursor | undefined;
    readonly isChanging: boolean;
  },
): Promise<readonly string[]> => {
  const list = listChecks[kinds[question.route]];
  if (list === undefined) return ['no check'];
  const path = targetOf(
    question,
    pairs.filter(({ name }) => name !== 'cursor'),
  );
  const below = path.replace('/api/v1', '');
  const limit = requestedNumber('current', below, 'limit') ?? Number.POSITIVE_INFINITY;
  const isDetail = question.route === 'artist';
  const answer = {
    path,
    replies: [],
    bodies: [body],
    limit,
    items: itemsIn(body),
    truncated: false,
  };
  const conditions = new Set<Condition>(
    isDetail ? ['history', 'every field'] : ['a list', 'every field'],
  );
  if (/[?&]include=history/.test(path)) conditions.add('history');
  const hasScope = byForm(
    () => (scope: string) => scopeSets[question.scopes].some((one) => one === scope),
  );
  const facts = {
    conditions,
    hasScope,
    documentIdOf: () => undefined,
    partner: undefined,
    now: undefined,
  };
  const artists = cursor === undefined ? whole.artists : behind(whole.artists, cursor.end);
  const blocks = compareWithStored(list, { ...whole, artists }, answer, facts);
  const lines = [
    ...invariantLines(kinds[question.route], 'current', answer),
    ...blocks.flatMap((block) => block.lines.filter(isUnexpected)),
  ];
  const engines =
    question.route === 'spikes'
      ? [valueAt(body, 'meta.engine'), ...answer.items.map((one) => valueAt(one, 'engine'))]
      : [];
  for (const one of engines) expect(one).to.deep.equal(engine);
  return lines
    .filter(({ row = '' }) => !(isChanging && row.includes('history.')))
    .map(
      ({ row, unexpected, left }) => `${row}: ${unexpected} ${JSON.stringify(left?.value ?? null)}`,
    );
};

const keysOf = (form: 'current' | 'variant') =>
  Object.fromEntries(
    Object.entries(scopeSets).map(([name, scopes]) => [
      name,
      buildKey({ form, id: form + name, scopes, partner: name, allowEnvelopeOverride: true }),
    ]),
  );

/** The keys that the questions are asked with: one for each form and set of scopes. */
const questionKeys = { current: keysOf('current'), variant: keysOf('variant') };

export const questionKeySource = keySourceOf(
  Object.values(questionKeys).flatMap((ofForm) => Object.values(ofForm)),
);

/** Differences that a failure shows. */
const maxShown = 5;

/** Sends a question and returns the decoded answer, held against the contract of its form. */
const ask = async (
  gateway: TestGateway,
  form: 'current' | 'variant',
  target: string,
  { scopes, pinned = form }: Question,
  headers: Readonly<Record<string, string>>,
) => {
  const key = questionKeys[pinned][scopes];
  const reply = await gateway.send(target, key?.text, {
    headers: { ...headers, ...(pinned === form ? {} : { 'X-Envelope': form }) },
  });
  expect(reply.headers['x-envelope-served']).to.equal(form);
  return { ...reply, text: decodedText(reply) };
};

/** What a run of questions has learned so far. */
export interface Run {
  readonly gateway: TestGateway;
  readonly today: string;
  readonly now: string;
  /** A shortlist as the second opinion reads it; each is read once. */
  readonly wholeOf: (shortlist: Shortlist) => WholeShortlist;
  readonly cursors: KnownCursor[];
  /** The data that each ETag was sent with. */
  readonly tags: Map<string, string>;
  /** The form and status of every answer. */
  readonly outcomes: Set<string>;
}

/** A run on the day of the gateway's clock. */
export const openRun = (gateway: TestGateway): Run => {
  const now = new Date(gateway.clock.now()).toISOString();
  const wholes = weakMemo<Shortlist, WholeShortlist>();
  return {
    gateway,
    wholeOf: (shortlist) => wholes(shortlist, () => wholeOf(shortlist)),
    today: now.slice(0, 10),
    now,
    cursors: [],
    tags: new Map(),
    outcomes: new Set(),
  };
};

/** Names the question in the failure of an answer. */
export const naming = async (
  which: string,
  question: Question,
  answered: Promise<void>,
): Promise<void> => {
  await answered.catch((difference: unknown) => {
    if (difference instanceof Error) {
      const { scopes, pairs, after } = question;
      difference.message = `${which}: ${scopes} ${targetOf(question, pairs)} ${JSON.stringify(after ?? '')}: ${difference.message}`;
    }
    throw difference;
  });
};

/** The versions of the shortlist that an answer may be made from: two while it changes. */
export type Versions = readonly [Shortlist, ...Shortlist[]];

/** Expects an answer to equal what is expected of one of the versions; reports against the last. */
const expectOne = async (versions: readonly (() => Promise<void>)[]): Promise<void> => {
  for (const [index, check] of versions.entries()) {
    try {
      await check();
      return;
    } catch (difference) {
      if (index === versions.length - 1) throw difference;
    }
  }
};

/** A question as it was sent, with the cursor that it goes on from. */
interface SentQuestion {
  readonly question: Question;
  readonly sent: readonly Pair[];
  readonly cursor: KnownCursor | undefined;
}

const checkCurrent = async (
  run: Run,
  reply: RawReply,
  asked: SentQuestion,
  shortlist: Shortlist,
  isChanging: boolean,
) => {
  const { question, sent, cursor } = asked;
  const whole = run.wholeOf(shortlist);
  const expected = expectedStatus(question, sent, whole, cursor);
  expect(reply.status).to.equal(expected.status);
  const body = parseJson(reply.text) ?? null;
  if (expected.code !== undefined) expect(textAt(body, 'error.code')).to.equal(expected.code);
  if (expected.status !== 200) return;
  expect(valueAt(body, 'meta.generated_at')).to.equal(run.now);
  expect(valueAt(body, 'meta.request_id')).to.equal(reply.headers['x-request-id']);
  const wrong = await wrongIn(question, sent, body, { whole, cursor, isChanging });
  expect(wrong.slice(0, maxShown), `${wrong.length} members are wrong`).to.deep.equal([]);
};

const remember = (run: Run, reply: RawReply, sent: readonly Pair[]): void => {
  const body = parseJson(reply.text);
  const text = textAt(body, 'meta.next_cursor');
  const end = listAt(body, 'data').at(-1);
  if (text !== undefined && end !== undefined)
    run.cursors.push({ text, filters: filtersOf(sent), end });
  const data = JSON.stringify(valueAt(body, 'data'));
  const tag = String(reply.headers['etag']);
  expect(
    (run.tags.get(tag) ?? data) === data,
    `the ETag ${tag} was sent with other data before`,
  ).to.equal(true);
  run.tags.set(tag, data);
};

/**
 * Sends a request in the current form. If nothing changes, sends it again with the ETag.
 */
export const askCurrent = async (
  run: Run,
  question: Question,
  versions: Versions,
  isGzip: boolean,
): Promise<void> => {
  const { after } = question;
  const cursor = after && run.cursors.at(-1 - after.page);
  const kept =
    cursor && after.withItsFilters
      ? question.pairs.filter((pair) => filtersOf([pair]).length === 0)
      : question.pairs;
  const filters = cursor && after.withItsFilters ? cursor.filters : [];
  const sent =
    cursor === undefined
      ? question.pairs
      : [...kept, ...filters, { name: 'cursor', value: cursor.text }];
  const target = targetOf(question, sent);
  const encoding = isGzip ? { 'Accept-Encoding': 'gzip' } : {};
  const reply = await ask(run.gateway, 'current', target, question, encoding);
  run.outcomes.add(`current ${cursor === undefined ? '' : 'after a cursor '}${reply.status}`);
  const asked = { question, sent, cursor };
  await expectOne(
    versions.map((one) => () => checkCurrent(run, reply, asked, one, versions.length > 1)),
  );
  if (reply.status !== 200 || versions.length > 1) return;
  remember(run, reply, sent);
  const again = await ask(run.gateway, 'current', target, question, {
    ...encoding,
    'If-None-Match': String(reply.headers['etag']),
  });
  expect(again.status, 'with its own ETag').to.equal(304);
};

/**
 * Sends a query in the variant form, which compresses nothing. The adapter must send the same body
 * and headers.
 */
export const askVariant = async (
  run: Run,
  adapters: Adapters,
  question: Question,
  shortlist: Shortlist,
): Promise<void> => {
  const { pairs, scopes } = question;
  const target = targetOf(question, pairs);
  const reply = await ask(run.gateway, 'variant', target, question, { 'Accept-Encoding': 'gzip' });
  run.outcomes.add(`variant ${reply.status}`);
  const host = `127.0.0.1:${run.gateway.port}`;
  const key = questionKeys.current[scopes]?.text ?? '';
  const adapted = await adapters.ask({ host, key, ...givenOf(shortlist), partner: scopes }, target);
  expect(withoutMessage(adapted), 'the same to the byte').to.deep.equal(withoutMessage(reply));
  for (const name of ['x-params-adjusted', 'cache-control', 'vary', 'content-type'])
    expect(adapted.headers[name], name).to.equal(reply.headers[name]);
};
