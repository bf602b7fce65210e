import { crosswalk } from '../crosswalk/crosswalk.ts';
import type { BehaviourRow } from '../crosswalk/rows.ts';
import { groupBy } from '../domain/groups.ts';
import type { UsageCount } from '../domain/usage.ts';
import { allRequests, countOccurrences, type Occurrences, pathOf, sumOccurrences } from './evidence.ts';

/** A behaviour of the variant form that a partner relies on and the current form lacks. */
export interface BehaviourFinding extends Occurrences {
  readonly behaviour: string;
  /** The evidence, in the words of usage. */
  readonly seen_by: readonly string[];
  readonly variant: string;
  readonly current: string;
}

type Evidence = NonNullable<BehaviourRow['evidence']>;

const findEvidence = (
  counts: readonly UsageCount[],
  evidence: Evidence,
): Pick<BehaviourFinding, 'seen_by'> & Occurrences => {
  if ('status' in evidence) {
    const matching = counts.filter((count) => count.status === evidence.status && pathOf(count) === evidence.path);
    return { seen_by: [`${evidence.path} ${evidence.status}`], ...sumOccurrences(matching, allRequests) };
  }
  const names = new Set(counts.flatMap(({ uses }) => Object.keys(uses).filter((use) => evidence.use.test(use))));
  return { seen_by: [...names].sort(), ...sumOccurrences(counts, (count) => countOccurrences(count, evidence.use)) };
};

/** Joins texts: each once, without those that another one begins with. */
const join = (texts: readonly string[]): string =>
  [...new Set(texts)].filter((text) => !texts.some((one) => one !== text && one.startsWith(text))).join('; or ');

/** The behaviours of the variant form that usage shows a partner to rely on. Rows with the same evidence are one finding. */
export const findBehaviours = (counts: readonly UsageCount[]): BehaviourFinding[] =>
  [...groupBy(crosswalk.behaviours, ({ evidence }) => evidence)]
    .flatMap(([evidence, rows]) => (evidence === undefined ? [] : [{ evidence, rows }]))
    .map(({ evidence, rows }) => ({
      behaviour: join(rows.map(({ about }) => about)),
      variant: join(rows.map(({ variant }) => variant)),
      current: join(rows.map(({ current }) => current)),
      ...findEvidence(counts, evidence),
    }))
    .filter(({ requests }) => requests > 0);
