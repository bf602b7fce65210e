import { groupBy } from '../../src/domain/groups.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { countOccurrences, type Move, pathOf, sumOccurrences } from './evidence.ts';
import { mapping } from './mapping/mapping.ts';
import type { BehaviourRow } from './mapping/rows.ts';
import type { SeenCall } from './seen-calls.ts';

type Evidence = NonNullable<BehaviourRow['evidence']>;

/** Whether requests were answered with the status that is evidence, on its path. */
const isAnsweredAs = (count: UsageCount, evidence: Evidence | undefined): boolean =>
  evidence !== undefined &&
  'status' in evidence &&
  evidence.status === count.status &&
  evidence.path === pathOf(count);

/** The evidence in the words of usage, and how often it occurs. */
const findEvidence = (counts: readonly UsageCount[], evidence: Evidence) => {
  if ('status' in evidence) {
    const matching = counts.filter((count) => isAnsweredAs(count, evidence));
    return { seen_by: [`${evidence.path} ${evidence.status}`], ...sumOccurrences(matching) };
  }
  const names = new Set(
    counts.flatMap(({ uses }) => Object.keys(uses).filter((use) => evidence.use.test(use))),
  );
  return {
    seen_by: [...names].sort(),
    ...sumOccurrences(counts, (count) => countOccurrences(count, evidence.use)),
  };
};

/** Joins texts as one sentence: each once, without those that another one begins with. */
const join = (texts: readonly string[]): string =>
  [...new Set(texts)]
    .filter((text) => !texts.some((one) => one !== text && one.startsWith(text)))
    .map((text, index) => (index === 0 ? text : text.replace(/^A /, 'a ')))
    .join('; or ');

/** Which of several behaviours the calls show; all of them if no call shows one. */
const shownBy = (
  rows: readonly BehaviourRow[],
  calls: readonly SeenCall[],
): readonly BehaviourRow[] => {
  const shown = rows.filter(({ isShownBy }) =>
    calls.some(({ call }) => {
      const [path = '', query] = call.split('?');
      return isShownBy?.(path, new URLSearchParams(query)) === true;
    }),
  );
  return shown.length > 0 ? shown : rows;
};

/**
 * The behaviours of the variant form that usage shows a partner to rely on. Rows with the same
 * evidence are one finding.
 */
export const findBehaviours = (counts: readonly UsageCount[], calls: readonly SeenCall[]) =>
  [...groupBy(mapping.behaviours, ({ evidence }) => evidence)]
    .flatMap(([evidence, rows]) => (evidence === undefined ? [] : [{ evidence, rows }]))
    .map(({ evidence, rows: all }) => ({ evidence, rows: shownBy(all, calls) }))
    .map(({ evidence, rows }) => ({
      behaviour: join(rows.map(({ about }) => about)),
      variant: join(rows.map(({ variant }) => variant)),
      current: join(rows.map(({ current }) => current)),
      ...findEvidence(counts, evidence),
    }))
    .filter(({ requests }) => requests > 0);

const minErrorStatus = 400;

/**
 * Status and code in the other form, like `429 rate_limited`, of every problem that has this status
 * in the form left.
 */
const errorsInstead = (status: number, { from, to }: Move): readonly string[] => {
  const entries = mapping.problems
    .filter((row) => row[from]?.status === status)
    .map((row) => row[to])
    .filter((entry) => entry !== undefined);
  return [...new Set(entries.map((entry) => `${entry.status} ${entry.code}`))];
};

/** Whether the answer is one of a behaviour that the other form does not have. */
const isBehaviour = (count: UsageCount, { from }: Move): boolean =>
  from === 'variant' && mapping.behaviours.some(({ evidence }) => isAnsweredAs(count, evidence));

/**
 * The error statuses that a partner received, and what the other form answers instead; without
 * those that the behaviours cover.
 */
export const findErrors = (counts: readonly UsageCount[], move: Move) =>
  [...groupBy(counts, ({ status }) => status)]
    .map(([status, all]) => [status, all.filter((count) => !isBehaviour(count, move))] as const)
    .filter(([status, all]) => status >= minErrorStatus && all.length > 0)
    .sort(([one], [other]) => one - other)
    .map(([status, received]) => ({
      status,
      instead: errorsInstead(status, move),
      ...sumOccurrences(received),
    }));
