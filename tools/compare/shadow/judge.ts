import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Form } from '../../../adapters/forms/form.ts';
import type { Scope } from '../../../src/domain/caller.ts';
import { engine } from '../../../src/domain/signals.ts';
import { byForm, type ComparedForm } from '../../crosswalk/forms.ts';
import { isList, isObject, type Json, listAt, textAt } from '../../crosswalk/json.ts';
import { pathRowOf } from '../../crosswalk/request-rows.ts';
import { type ComparisonCase, sideOf } from '../cases/cases.ts';
import { pathBelow } from '../cases/send-request.ts';
import { compareResponses } from '../checks/comparison.ts';
import { toSides, violation } from '../checks/lines.ts';
import { createIdPairs } from '../checks/pairing.ts';
import { readStoredCatalogue, readStoredValue } from '../checks/stored-documents.ts';
import { type DifferenceGroup, groupDifferences } from '../differences.ts';
import { addRound, emptyResult } from '../results.ts';
import { askBothForms, type ObservedAnswer } from './answers.ts';
import { questionMembers } from './counterpart.ts';

/** Maximum number of artists named for one cause. */
const maxArtists = 3;

/** A model as the document that it was read from: the same members, in snake case. */
const toDocument = (model: Json): Json => {
  if (isList(model)) return model.map(toDocument);
  if (!isObject(model)) return model;
  const nameOf = (key: string) =>
    key === 'documentId' ? '_id' : key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(
    Object.entries(model).map(([key, value]) => [nameOf(key), toDocument(value)]),
  );
};

/**
 * A spike or a signing with the members that the current form has in objects of their own, or
 * counts.
 */
const toSignal = (document: Json): Json => {
  if (!isObject(document)) return document;
  const { tiktok = null, status = null, note = null } = document;
  const parts = {
    engine: { ...engine },
    links: { tiktok },
    signing: { status, note },
    total_label_songs: listAt(document, 'label_songs').length,
  };
  return readStoredValue({ ...document, ...parts });
};

/** The items that the current form must show: an item for each model. */
const storedOf = (items: ComparisonCase['items'], models: readonly Json[]) => {
  const documents = models.map(toDocument);
  if (items !== 'artists') return { items: documents.map(toSignal), idPairs: createIdPairs([]) };
  const series = documents.flatMap((one) => listAt(one, 'series'));
  const { artists, idPairs } = readStoredCatalogue({ artists: documents, series });
  return { items: artists, idPairs };
};

const itemKinds = { artist: 'artists', spike: 'spikes', signing: 'signings' } as const;

/** The question as a case of `compare`. */
const caseOf = (asked: string, paths: Readonly<Record<ComparedForm, string>>): ComparisonCase => {
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

/**
 * A cause as it is logged: identifiers and member paths, no values. `answered`: the items of the
 * current form.
 */
const toJudged = (
  { row, violation: text, items, found }: DifferenceGroup,
  answered: readonly Json[],
) => {
  const artists = found.flatMap(({ block, line }) => {
    const item = answered[Number(/items\[(\d+)\]/.exec(`${block} ${line.unexpected}`)?.[1] ?? -1)];
    return textAt(item, 'id') ?? textAt(item, 'artist_id') ?? [];
  });
  const { left, right } = found[0].line;
  return {
    row,
    violation: text,
    items,
    current: left?.path,
    variant: right?.path,
    artists: [...new Set(artists)].slice(0, maxArtists),
  };
};

export type JudgedCause = ReturnType<typeof toJudged>;

/**
 * Compares an answer with that of the other form by the crosswalk, by what each form must hold by
 * itself and by the models that it was made of, an item in a turn of the loop. `undefined` when
 * there is nothing to compare it with.
 */
export const judge = async (
  answer: ObservedAnswer,
  forms: readonly Form[],
): Promise<readonly JudgedCause[] | undefined> => {
  const both = await askBothForms(answer, forms);
  if (both === undefined) return undefined;
  const { asked, caller } = answer.answered;
  const responses = byForm((form) => both[form].response);
  const comparisonCase = caseOf(
    asked.question,
    byForm((form) => responses[form].path),
  );
  const { idPairs, ...stored } = storedOf(comparisonCase.items, both.current.models);
  const knowledge = {
    hasFixedClock: true,
    headers: undefined,
    hasScope: () => (scope: Scope) => caller.scopes.has(scope),
    partner: caller.key.partner,
    idPairs,
    stored,
  };
  const compared = await compareResponses(comparisonCase, responses, knowledge, nextTurn);
  // The current form's body names the request that the header names.
  const isNamed = textAt(responses.current.bodies[0], 'meta.request_id') === answer.requestId;
  const line = violation(
    'The request id of the body is that of the header.',
    'They differ.',
    'header.X-Request-Id',
  );
  const blocks = [...compared.blocks, ...(isNamed ? [] : [{ title: 'Response', lines: [line] }])];
  const result = addRound(emptyResult(comparisonCase), toSides(responses), { ...compared, blocks });
  return groupDifferences([result]).map((cause) => toJudged(cause, responses.current.items));
};
