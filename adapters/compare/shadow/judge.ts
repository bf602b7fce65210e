import { setImmediate as nextTurn } from 'node:timers/promises';
import { byForm } from '../../../src/crosswalk/forms.ts';
import { isList, isObject, type Json, type JsonObject, listAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import { pathRowOf } from '../../../src/crosswalk/request-rows.ts';
import type { Form } from '../../forms/form.ts';
import { type ComparisonCase, sideOf } from '../cases/cases.ts';
import { pathBelow } from '../cases/send-request.ts';
import { compareResponses } from '../checks/comparison.ts';
import { toSides, violation } from '../checks/lines.ts';
import { createIdPairs } from '../checks/pairing.ts';
import { readStoredCatalogue } from '../checks/stored-documents.ts';
import { type DifferenceGroup, groupDifferences } from '../differences.ts';
import { addRound, emptyResult } from '../results.ts';
import { askBothForms, type ObservedAnswer } from './answers.ts';
import { questionMembers } from './counterpart.ts';

/** A cause of differences in one answer. It holds identifiers and member paths, no values. */
export interface JudgedCause {
  /** The id of the row of the crosswalk; `undefined` for a violation that no row is about. */
  readonly row: string | undefined;
  /** The violation, without values. */
  readonly violation: string;
  readonly items: number;
  /** Paths of the members in the first item that shows it. */
  readonly current: string | undefined;
  readonly variant: string | undefined;
  /** Stable identifiers of some of the artists that show it. */
  readonly artists: readonly string[];
}

/** Maximum number of artists named for one cause. */
const maxArtists = 3;

/** A model as the document that it was read from: the same members, in snake case. */
const toDocument = (model: Json): Json => {
  if (isList(model)) return model.map(toDocument);
  if (!isObject(model)) return model;
  const nameOf = (key: string) =>
    key === 'documentId' ? '_id' : key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(model).map(([key, value]) => [nameOf(key), toDocument(value)]));
};

/** The artists of an answer, as stored documents, in list order. */
const readModels = (models: readonly JsonObject[]) =>
  readStoredCatalogue({
    artists: models.map((one) => toDocument(valueAt(one, 'artist') ?? null)),
    series: models.flatMap((one) => listAt(one, 'series').map(toDocument)),
  });

const itemKinds = { artist: 'artists', spike: 'spikes', signing: 'signings' } as const;

const caseOf = (asked: string, paths: { readonly current: string; readonly variant: string }): ComparisonCase => {
  const below = pathBelow({ path: paths.current });
  const table = pathRowOf('current', below)?.items;
  const { includeHistory, fields } = questionMembers(asked);
  return {
    name: 'shadow',
    asks: 'The same question in the other form',
    items: table === undefined ? 'nothing' : itemKinds[table],
    ...byForm((form) => sideOf(paths[form])),
    key: 'full',
    history: includeHistory === true,
    basic: fields === 'basic',
    detail: /^\/artists\/./.test(below),
  };
};

const toJudged = ({ row, violation: text, items, found }: DifferenceGroup, answered: readonly Json[]): JudgedCause => {
  const indexes = found.map(({ block, line }) => /items\[(\d+)\]/.exec(`${block} ${line.unexpected}`)?.[1]);
  const ids = indexes
    .map((index) => answered[Number(index ?? -1)])
    .map((item) => textAt(item, 'id') ?? textAt(item, 'artist_id'));
  return {
    row,
    violation: text,
    items,
    current: found[0].line.left?.path,
    variant: found[0].line.right?.path,
    artists: [...new Set(ids.filter((id) => id !== undefined))].slice(0, maxArtists),
  };
};

/**
 * Compares an answer with that of the other form by the crosswalk, by the invariants of each form and by the artists that it was
 * made of, an item in a turn of the loop. `undefined` when there is nothing to compare it with.
 */
export const judge = async (
  answer: ObservedAnswer,
  forms: readonly Form[],
): Promise<readonly JudgedCause[] | undefined> => {
  const { answered, requestId } = answer;
  const both = await askBothForms(answer, forms);
  if (both === undefined) return undefined;
  const { scopes, key } = answered.caller;
  const responses = byForm((form) => both[form].response);
  const comparisonCase = caseOf(
    answered.asked.question,
    byForm((form) => responses[form].path),
  );
  const stored = comparisonCase.items === 'artists' ? readModels(both.current.models) : undefined;
  const knowledge = {
    hasFixedClock: true,
    headers: undefined,
    hasScope: () => (scope: Parameters<typeof scopes.has>[0]) => scopes.has(scope),
    partner: key.partner,
    idPairs: stored?.idPairs ?? createIdPairs([]),
    stored,
  };
  const compared = await compareResponses(comparisonCase, responses, knowledge, nextTurn);
  // The current form's body names the request that the header names.
  const isNamed = textAt(responses.current.bodies[0], 'meta.request_id') === requestId;
  const line = violation('The request id of the body is that of the header.', 'They differ.', 'header.X-Request-Id');
  const blocks = [...compared.blocks, ...(isNamed ? [] : [{ title: 'Response', lines: [line] }])];
  const result = addRound(emptyResult(comparisonCase), toSides(responses), { ...compared, blocks });
  return groupDifferences([result]).map((cause) => toJudged(cause, responses.current.items));
};
