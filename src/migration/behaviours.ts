import { crosswalk } from '../crosswalk/crosswalk.ts';
import type { BehaviourRow } from '../crosswalk/rows.ts';
import type { UsageCount } from '../domain/usage.ts';
import { allRequests, countOccurrences, type Occurrences, pathOf, seenIn } from './evidence.ts';

/** Something that the variant form does for a partner and the current form does not. */
export interface BehaviourFinding extends Occurrences {
  readonly behaviour: string;
  /** What showed it, in the words of usage. */
  readonly seen_by: readonly string[];
  readonly variant: string;
  readonly current: string;
}

type Trace = NonNullable<BehaviourRow['evidence']>;

const find = (counts: readonly UsageCount[], trace: Trace): Pick<BehaviourFinding, 'seen_by'> & Occurrences => {
  if ('status' in trace) {
    const met = counts.filter((count) => count.status === trace.status && pathOf(count) === trace.path);
    return { seen_by: [`${trace.path} ${trace.status}`], ...seenIn(met, allRequests) };
  }
  const names = new Set(counts.flatMap(({ uses }) => Object.keys(uses).filter((use) => trace.use.test(use))));
  return { seen_by: [...names].sort(), ...seenIn(counts, (count) => countOccurrences(count, trace.use)) };
};

/** Each text once, and none of which another says more. */
const join = (texts: readonly string[]): string =>
  [...new Set(texts)].filter((text) => !texts.some((one) => one !== text && one.startsWith(text))).join('; or ');

/** Every trace, and the rows that it speaks of: usage does not tell all of them apart. */
const byTrace = (): ReadonlyMap<Trace, readonly BehaviourRow[]> => {
  const groups = new Map<Trace, BehaviourRow[]>();
  for (const row of crosswalk.behaviours) {
    if (row.evidence !== undefined) groups.set(row.evidence, [...(groups.get(row.evidence) ?? []), row]);
  }
  return groups;
};

/** What a partner relies on in the variant form, as far as usage shows it. */
export const findBehaviours = (counts: readonly UsageCount[]): BehaviourFinding[] =>
  [...byTrace()]
    .map(([trace, rows]) => ({
      behaviour: join(rows.map(({ about }) => about)),
      variant: join(rows.map(({ variant }) => variant)),
      current: join(rows.map(({ current }) => current)),
      ...find(counts, trace),
    }))
    .filter(({ requests }) => requests > 0);
