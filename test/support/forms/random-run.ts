import { expect } from 'chai';
import { weakMemo } from '../../../src/runtime/memo.ts';
import type { WholeShortlist } from '../../../tools/compare/checks/list-check.ts';
import { listAt, parseJson, textAt, valueAt } from '../../../tools/migration/mapping/json.ts';
import { buildKey, keySourceOf } from '../builders.ts';
import { decodedText, type TestGateway } from '../gateway.ts';
import { type Adapters, givenOf, withoutMessage } from '../partners/adapter.ts';
import type { RawReply } from '../raw.ts';
import { type Pair, type Question, scopeSets, targetOf } from './random-questions.ts';
import type { Shortlist } from './random-shortlist.ts';
import { expectedStatus, filtersOf, type KnownCursor, wholeOf, wrongIn } from './second-opinion.ts';

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
 * Asks a question in the current form; with its ETag a second time, if nothing changes meanwhile.
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
