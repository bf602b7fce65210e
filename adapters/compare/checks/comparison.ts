import { crosswalk } from '../../../src/crosswalk/crosswalk.ts';
import { isObject, type Json } from '../../../src/crosswalk/json.ts';
import type { Facts, Sees } from '../../../src/crosswalk/rows.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { ComparisonCase, KeyKind } from '../cases/cases.ts';
import type { IdPairs } from '../targets/id-pairs.ts';
import { type Answers, conditionsOf } from './conditions.ts';
import { headerLines } from './headers.ts';
import { type ListKind, violations } from './invariants.ts';
import { type Block, compareItems } from './items.ts';
import { type CompareMembers, createMemberComparison, type Line } from './members.ts';
import { type Expected, expectedOf, outcomeLines } from './outcomes.ts';
import { type KeyFacts, replyFacts } from './replies.ts';
import type { CheckAgainstStored } from './stored-data-check.ts';

/** What is known of the two gateways (or of the one that has both forms) and of the keys. */
export interface Knowledge {
  /** Whether every answer is told from the same instant. */
  readonly clockStands: boolean;
  /** Whether something may stand between, which adds headers of its own. */
  readonly allowsProxy: boolean;
  readonly sees: (form: FormName, key: KeyKind) => Sees;
  readonly keyFacts: (form: FormName, key: KeyKind) => KeyFacts;
  readonly partner: string | undefined;
  readonly identities: IdPairs;
  /** Holds answers against what is stored, where that is known. */
  readonly ground: CheckAgainstStored | undefined;
}

/** What a comparison of two answers came to. */
export interface Compared {
  readonly blocks: readonly Block[];
  /** Items of one form that the other cannot show: they lie behind its limit. */
  readonly outOfReach: readonly Json[];
}

const withoutData = (body: Json | undefined): Json =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'data')) : (body ?? null);

const isLawful = (items: ComparisonCase['items']): items is ListKind =>
  items === 'artists' || items === 'spikes' || items === 'signings';

/** Compares what two forms answered to one case. Pure: it asks nobody. */
export type Compare = (asked: ComparisonCase, answers: Answers, knowledge: Knowledge) => Compared;

type Expectations = Readonly<Record<FormName, Expected>>;

const responseLines = (
  asked: ComparisonCase,
  answers: Answers,
  expected: Expectations,
  { keyFacts, allowsProxy }: Knowledge,
): readonly Line[] => {
  const headersOf = (form: FormName) => ({
    headers: answers[form].replies.at(-1)?.headers ?? {},
    facts: replyFacts(asked.key, keyFacts(form, asked.key), asked[form], answers[form], expected[form]),
    reads: asked[form].reads,
  });
  return [
    ...outcomeLines(asked, answers, expected),
    ...headerLines({ current: headersOf('current'), variant: headersOf('variant') }, allowsProxy),
  ];
};

/** What each answer says about itself, and what is stored. A problem has nothing to hold it against. */
const truthLines = (
  items: ListKind,
  { current, variant }: Answers,
  expected: Expectations,
  facts: Facts,
  ground: CheckAgainstStored | undefined,
): readonly Line[] => [
  ...(expected.current.status === 200 ? violations('current', items, current) : []),
  ...(expected.variant.status === 200 ? violations('variant', items, variant) : []),
  ...(expected.current.status === 200 && ground !== undefined ? ground(items, current, facts) : []),
];

const createBodyComparison = () => {
  const envelope = createMemberComparison(crosswalk.members.envelope);
  const health = createMemberComparison(crosswalk.members.health);
  const error = createMemberComparison(crosswalk.members.error);

  return ({ items }: ComparisonCase, answers: Answers, expected: Expectations, facts: Facts): readonly Line[] => {
    const [ours = null, theirs = null] = [answers.current.bodies.at(-1), answers.variant.bodies.at(-1)];
    const bothAnswer = expected.current.status === 200 && expected.variant.status === 200;
    if (bothAnswer && items === 'health') return health(ours, theirs, facts);
    if (bothAnswer && isLawful(items)) return envelope(withoutData(ours), withoutData(theirs), facts);
    const bothRefuse = expected.current.said !== undefined && expected.variant.said !== undefined;
    const inOwnForms = expected.current.served === 'current' && expected.variant.served === 'variant';
    return bothRefuse && inOwnForms ? error(ours, theirs, facts) : [];
  };
};

/** A comparison by the crosswalk. */
export const createComparison = (): Compare => {
  const compareBodies = createBodyComparison();
  const ofItems: Readonly<Record<ListKind, CompareMembers>> = {
    artists: createMemberComparison(crosswalk.members.artist, { list: 'songs', identity: 'id' }),
    spikes: createMemberComparison(crosswalk.members.spike),
    signings: createMemberComparison(crosswalk.members.signing, { list: 'label_songs', identity: 'song_name' }),
  };

  return (asked, answers, knowledge) => {
    const { key, items } = asked;
    const { identities, sees, partner, clockStands, ground } = knowledge;
    const expected = { current: expectedOf('current', asked.current), variant: expectedOf('variant', asked.variant) };
    const facts: Facts = {
      circumstances: conditionsOf(asked, answers, expected, clockStands),
      sees: { current: sees('current', key), variant: sees('variant', key) },
      documentIdOf: identities.documentIdOf,
      partner,
    };
    const compared = isLawful(items)
      ? compareItems(items, answers.current, answers.variant, ofItems[items], identities, facts)
      : { blocks: [], outOfReach: [] };
    const blocks: readonly Block[] = [
      { title: 'Response', lines: responseLines(asked, answers, expected, knowledge) },
      { title: 'Body', lines: compareBodies(asked, answers, expected, facts) },
      ...compared.blocks,
      { title: 'By itself', lines: isLawful(items) ? truthLines(items, answers, expected, facts, ground) : [] },
    ];
    return { blocks: blocks.filter(({ lines }) => lines.length > 0), outOfReach: compared.outOfReach };
  };
};
