import { expect } from 'chai';
import { z } from 'zod';
import { buildKey, keySourceOf } from '../builders.ts';
import { givenOf, type Mover, withoutMessage } from '../examples/moving.ts';
import { decodedText, type TestGateway } from '../gateway.ts';
import type { RawReply } from '../raw.ts';
import { type ExpectedCurrent, expectCurrent, filtersOf, type KnownCursor } from './oracle-current.ts';
import { adjustedBy } from './oracle-variant.ts';
import { type Pair, type Question, scopeSets, targetOf } from './random-questions.ts';
import type { Shortlist } from './stored-shortlist.ts';

const keysOf = (form: 'current' | 'variant') =>
  Object.fromEntries(
    Object.entries(scopeSets).map(([name, scopes]) => [
      name,
      buildKey({ form, id: form + name, scopes, partner: name, allowEnvelopeOverride: true }),
    ]),
  );

/** The keys that the questions are asked with: one for each form and set of scopes. */
export const questionKeys = { current: keysOf('current'), variant: keysOf('variant') };

export const questionKeySource = keySourceOf(Object.values(questionKeys).flatMap((ofForm) => Object.values(ofForm)));

const members = z.record(z.string(), z.unknown());

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

/** Without the histories of artists and songs: while series change, they may be read before or after. */
const withoutHistories = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutHistories);
  const object = members.safeParse(value);
  if (!object.success) return value;
  return Object.fromEntries(
    Object.entries(object.data).flatMap(([name, member]) =>
      name === 'history' ? [] : [[name, withoutHistories(member)]],
    ),
  );
};

/** What a run of questions has learned so far. */
export interface Run {
  readonly gateway: TestGateway;
  readonly today: string;
  readonly now: string;
  readonly cursors: KnownCursor[];
  /** The data that each ETag was sent with. */
  readonly tags: Map<string, string>;
  /** Answers by form and status. */
  readonly counts: Map<string, number>;
}

/** A run on the day of the gateway's clock. */
export const openRun = (gateway: TestGateway): Run => {
  const now = new Date(gateway.clock.now()).toISOString();
  return { gateway, today: now.slice(0, 10), now, cursors: [], tags: new Map(), counts: new Map() };
};

export const countsText = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort()
    .map(([outcome, times]) => `${outcome} × ${times}`)
    .join(', ');

/** Names the question in the failure of an answer. */
export const naming = async (which: string, question: Question, answered: Promise<void>): Promise<void> => {
  await answered.catch((difference: unknown) => {
    if (difference instanceof Error) {
      const { scopes, pairs, after } = question;
      difference.message = `${which}: ${scopes} ${targetOf(question, pairs)} ${JSON.stringify(after ?? '')}: ${difference.message}`;
    }
    throw difference;
  });
};

const count = ({ counts }: Run, form: string, { status }: RawReply): void => {
  const outcome = `${form} ${status}`;
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
};

/** The versions of the shortlist that an answer may be made from: two while it changes. */
export type Versions = readonly [Shortlist, ...Shortlist[]];

/** Expects an answer to equal what is expected of one of the versions; reports against the last. */
const expectOne = (versions: readonly (() => void)[]): void => {
  for (const [index, check] of versions.entries()) {
    try {
      check();
      return;
    } catch (difference) {
      if (index === versions.length - 1) throw difference;
    }
  }
};

const checkCurrent = (run: Run, reply: RawReply, expected: ExpectedCurrent, isChanging: boolean): void => {
  expect(reply.status).to.equal(expected.status);
  const body = members.parse(JSON.parse(reply.text));
  if (expected.status !== 200) {
    if (expected.code !== undefined) expect(members.parse(body['error'])['code']).to.equal(expected.code);
    return;
  }
  const { generated_at, request_id, next_cursor, ...meta } = members.parse(body['meta']);
  expect(meta).to.deep.equal(expected.meta);
  expect(generated_at).to.equal(run.now);
  expect(request_id).to.equal(reply.headers['x-request-id']);
  expect(typeof next_cursor).to.equal(
    expected.meta['count'] === undefined ? 'undefined' : expected.end === undefined ? 'object' : 'string',
  );
  if (isChanging) expect(withoutHistories(body['data'])).to.deep.equal(withoutHistories(expected.data));
  else expect(body['data']).to.deep.equal(expected.data);
};

const remember = (run: Run, reply: RawReply, sent: readonly Pair[], expected: ExpectedCurrent): void => {
  const body = members.parse(JSON.parse(reply.text));
  if (expected.status !== 200) return;
  const { next_cursor } = members.parse(body['meta']);
  if (typeof next_cursor === 'string' && expected.end !== undefined) {
    run.cursors.push({ text: next_cursor, filters: filtersOf(sent), end: expected.end });
  }
  const data = JSON.stringify(body['data']);
  const tag = String(reply.headers['etag']);
  expect(run.tags.get(tag) ?? data, `the ETag ${tag} was sent with other data before`).to.equal(data);
  run.tags.set(tag, data);
};

/** Asks a question in the current form; with its ETag a second time, if nothing changes meanwhile. */
export const askCurrent = async (run: Run, question: Question, versions: Versions, isGzip: boolean): Promise<void> => {
  const { after } = question;
  const cursor = after && run.cursors.at(-1 - after.page);
  const kept =
    cursor && after.withItsFilters ? question.pairs.filter((pair) => filtersOf([pair]).length === 0) : question.pairs;
  const filters = cursor && after.withItsFilters ? cursor.filters : [];
  const sent = cursor === undefined ? question.pairs : [...kept, ...filters, { name: 'cursor', value: cursor.text }];
  const target = targetOf(question, sent);
  const encoding = isGzip ? { 'Accept-Encoding': 'gzip' } : {};
  const reply = await ask(run.gateway, 'current', target, question, encoding);
  count(run, cursor === undefined ? 'current' : 'current after a cursor', reply);
  const expected = versions.map((shortlist) => expectCurrent(shortlist, question, sent, run.today, cursor));
  expectOne(expected.map((one) => () => checkCurrent(run, reply, one, versions.length > 1)));
  const [only] = expected;
  if (only?.status !== 200 || versions.length > 1) return;
  remember(run, reply, sent, only);
  const again = await ask(run.gateway, 'current', target, question, {
    ...encoding,
    'If-None-Match': String(reply.headers['etag']),
  });
  expect(again.status, 'with its own ETag').to.equal(304);
};

/**
 * Asks a question in the variant form, which compresses nothing: the repairs of its parameters must be those of the decisions, and
 * the body what `mover` makes.
 */
export const askVariant = async (run: Run, mover: Mover, question: Question, shortlist: Shortlist): Promise<void> => {
  const { route, pairs, scopes } = question;
  const target = targetOf(question, pairs);
  const reply = await ask(run.gateway, 'variant', target, question, { 'Accept-Encoding': 'gzip' });
  count(run, 'variant', reply);
  const adjusted = String(reply.headers['x-params-adjusted'] ?? '');
  expect(adjusted === '' ? [] : adjusted.split(', ').sort()).to.deep.equal(adjustedBy(route, pairs));
  const host = `127.0.0.1:${run.gateway.port}`;
  const key = questionKeys.current[scopes]?.text ?? '';
  const moved = await mover.ask({ host, key, target, ...givenOf(shortlist), partner: scopes });
  expect(withoutMessage(reply)).to.deep.equal(withoutMessage(moved));
};
