import { expect } from 'chai';
import { currentForm } from '../../../adapters/forms/current/form.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { itemsIn } from '../../../tools/compare/cases/send-request.ts';
import { listChecks } from '../../../tools/compare/checks/comparison.ts';
import { createLabelSearch } from '../../../tools/compare/checks/expected-labels.ts';
import { invariantLines } from '../../../tools/compare/checks/invariants.ts';
import type { WholeShortlist } from '../../../tools/compare/checks/list-check.ts';
import { readStoredCatalogue } from '../../../tools/compare/checks/stored-documents.ts';
import { compareWithStored } from '../../../tools/compare/checks/stored-lists.ts';
import { isUnexpected } from '../../../tools/compare/results.ts';
import { byForm } from '../../../tools/migration/mapping/forms.ts';
import { type Json, parseJson, textAt, valueAt } from '../../../tools/migration/mapping/json.ts';
import { requestedNumber } from '../../../tools/migration/mapping/request-rows.ts';
import type { Condition } from '../../../tools/migration/mapping/rows.ts';
import { spikes } from '../compare/open-target.ts';
import { queryParametersOf } from '../contract.ts';
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

/** Whether the contract of the current form takes a value, by path below `/api/v1` and name. */
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
export interface KnownCursor {
  readonly text: string;
  /** The filters of the page, as the query had them. */
  readonly filters: readonly Pair[];
  /** The last artist of the page. */
  readonly end: Json;
}

/** The filters of a query; an empty name is none. */
export const filtersOf = (pairs: readonly Pair[]): Pair[] =>
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
export const wholeOf = ({ artists, history, labels }: Shortlist): WholeShortlist => {
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
export const expectedStatus = (
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
 * Artists behind the end of a page: those from the first one that does not come before or at it in
 * list order.
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
export const wrongIn = async (
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
  const { spelling: _spelling, ...asked } = question;
  const path = targetOf(
    asked,
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
