import { isList, textAt, valueAt } from '../../../src/domain/json.ts';
import { byForm, type ComparedForm, comparedForms } from '../../migration/mapping/forms.ts';
import type { ComparisonFacts, Condition, HasScope } from '../../migration/mapping/rows.ts';
import type { ComparisonCase } from '../cases/cases.ts';
import { type CaseResponses, type SideResponse, withoutItems } from '../cases/send-request.ts';
import type { KeyKind } from '../targets/ephemeral-keys.ts';
import { artistCheck } from './artists.ts';
import { type HeaderKnowledge, headerLines } from './headers.ts';
import { invariantLines } from './invariants.ts';
import { compareItems, type ItemComparison } from './items.ts';
import { type ComparedLine, formTitles, sideOf } from './lines.ts';
import { type ListCheck, type WholeShortlist, withKeyMembers } from './list-check.ts';
import { compareMembers } from './members.ts';
import { type ExpectedOutcomes, expectedOutcomes, outcomeLines } from './outcomes.ts';
import type { IdPairs } from './pairing.ts';
import { rowAt } from './row-ids.ts';
import { signingCheck } from './signings.ts';
import { spikeCheck } from './spikes.ts';
import { compareWithStored } from './stored-lists.ts';

export interface ComparisonKnowledge {
  readonly now: string | undefined;
  readonly headers: HeaderKnowledge;
  readonly hasScope: (form: ComparedForm, key: KeyKind) => HasScope;
  readonly partner: string | undefined;
  readonly idPairs: IdPairs;
  readonly stored: WholeShortlist | undefined;
}

export const listChecks: Readonly<Partial<Record<ComparisonCase['items'], ListCheck>>> = {
  artists: artistCheck,
  spikes: spikeCheck,
  signings: signingCheck,
};

const isWholeList = ({ replies, items, bodies, truncated }: SideResponse): boolean => {
  const data = valueAt(bodies[0], 'data');
  return !truncated && replies.length === 1 && (!isList(data) || data.length === items.length);
};

const conditionsOf = (
  comparisonCase: ComparisonCase,
  { current, variant }: CaseResponses,
  expected: ExpectedOutcomes,
): ReadonlySet<Condition> => {
  const { ask } = comparisonCase.current;
  const isDetail = ask.startsWith('/artists/');
  const conditions: readonly (readonly [Condition, boolean])[] = [
    ['a list', !isDetail],
    ['history', isDetail || /[?&]include=history/.test(ask)],
    ['every field', !/[?&]fields=basic/.test(comparisonCase.variant.ask)],
    ['the whole list', isWholeList(current) && isWholeList(variant)],
    ['one code', expected.current.error?.code === expected.variant.error?.code],
  ];
  return new Set(conditions.filter(([, holds]) => holds).map(([condition]) => condition));
};

const bodyLines = (
  { items }: ComparisonCase,
  responses: CaseResponses,
  expected: ExpectedOutcomes,
  facts: ComparisonFacts,
): readonly ComparedLine[] => {
  const [ours = null, theirs = null] = [
    responses.current.bodies.at(-1),
    responses.variant.bodies.at(-1),
  ];
  if (expected.current.status === 200 && expected.variant.status === 200) {
    if (items === 'health') return compareMembers('health', ours, theirs, facts);
    if (items !== 'nothing')
      return compareMembers('envelope', withoutItems(ours), withoutItems(theirs), facts);
  }
  const bothRefuse = expected.current.error !== undefined && expected.variant.error !== undefined;
  const inOwnForms = expected.current.served === 'current' && expected.variant.served === 'variant';
  return bothRefuse && inOwnForms ? compareMembers('error', ours, theirs, facts) : [];
};

/** Compares the items of both answers. Adds the identifiers of artists that belong together. */
const compareLists = (
  list: ListCheck,
  { current, variant }: CaseResponses,
  idPairs: IdPairs,
  facts: ComparisonFacts,
): ItemComparison => {
  const {
    table,
    identify,
    identity: [artistId],
  } = list;
  const identities = identify(current.items, idPairs);
  const sides = {
    left: { ...current, identify: identities.current },
    right: { ...variant, identify: identities.variant },
  };
  return compareItems(sides, {
    titles: formTitles,
    row: rowAt(table, 'current', artistId)?.id,
    show: (side, item) =>
      withKeyMembers(list, side === sideOf.current ? 'current' : 'variant', item),
    compare(ours, theirs) {
      if (table === 'artist' && identities.current(ours) === identities.variant(theirs))
        idPairs.add(textAt(ours, 'id') ?? '', textAt(theirs, 'id') ?? '');
      return compareMembers(table, ours, theirs, facts);
    },
  });
};

/** Compares the responses to one case by the mapping. Sends no requests. */
export const compareResponses = (
  comparisonCase: ComparisonCase,
  responses: CaseResponses,
  knowledge: ComparisonKnowledge,
): ItemComparison => {
  const { idPairs, hasScope, partner, now, headers, stored } = knowledge;
  const list = listChecks[comparisonCase.items];
  const expected = expectedOutcomes(comparisonCase);
  const facts: ComparisonFacts = {
    conditions: conditionsOf(comparisonCase, responses, expected),
    hasScope: byForm((form) => hasScope(form, comparisonCase.key)),
    documentIdOf: idPairs.documentIdOf,
    partner,
    now,
  };
  const items = list && compareLists(list, responses, idPairs, facts);
  const answered = comparedForms.filter((form) => expected[form].status === 200);
  const isKnown = list !== undefined && stored !== undefined && answered.includes('current');
  const blocks = [
    {
      title: 'Response',
      lines: [
        ...outcomeLines(comparisonCase, responses, expected),
        ...headerLines(comparisonCase, responses, expected, headers),
      ],
    },
    { title: 'Body', lines: bodyLines(comparisonCase, responses, expected, facts) },
    ...(items?.blocks ?? []),
    {
      title: 'Rules',
      lines: answered.flatMap((form) =>
        invariantLines(comparisonCase.items, form, responses[form]),
      ),
    },
    ...(isKnown ? compareWithStored(list, stored, responses.current, facts) : []),
  ];
  return {
    blocks: blocks.filter(({ lines }) => lines.length > 0),
    beyondLimit: items?.beyondLimit ?? [],
  };
};
