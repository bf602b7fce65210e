import { countOf, sum } from '../../src/domain/quantities.ts';
import { rowKinds } from '../migration/mapping/rows.ts';
import type { ComparedWithBaseline } from './baseline.ts';
import { type Cause, causesOf } from './causes.ts';
import { rowIds } from './checks/row-ids.ts';
import { type CasesRun, countKind, countUnexpected, type RunResult } from './results.ts';

interface Coverage {
  readonly cases: number;
  readonly items: number;
  readonly members: number;
  readonly rows: {
    readonly exercised: readonly string[];
    readonly notExercised: readonly string[];
  };
}

const coverageOf = ({ cases }: Pick<CasesRun, 'cases'>): Coverage => {
  const seen = new Set(cases.flatMap(({ rows }) => [...rows]));
  return {
    cases: cases.length,
    items: sum(cases.map(({ items }) => Math.max(items.left, items.right))),
    members: sum([countUnexpected({ cases }), ...rowKinds.map((kind) => countKind(cases, kind))]),
    rows: {
      exercised: rowIds.filter((id) => seen.has(id)),
      notExercised: rowIds.filter((id) => !seen.has(id)),
    },
  };
};

/**
 * The result of a run. `nothing`: a run that compared nothing proves nothing, so it is not a
 * success.
 */
export interface RunVerdict {
  readonly kind: 'same' | 'different' | 'incomplete' | 'nothing';
  readonly text: string;
  readonly exitCode: 0 | 1 | 2;
}

const nothingCompared = (result: RunResult, { items, members }: Coverage): string | undefined => {
  const { cases, skipped } = result;
  if (cases.length === 0) {
    const reasons = [...new Set(skipped.map(({ reason }) => reason))].join('; ');
    return skipped.length === 0
      ? 'there was no case'
      : `every case was skipped. Because ${reasons}`;
  }
  if (members === 0) return 'no case made a statement';
  return items === 0 && cases.some(({ listsItems }) => listsItems)
    ? 'no case found an item'
    : undefined;
};

const differenceText = (result: RunResult, coverage: Coverage, causes: number): string => {
  const cases = result.cases.filter(({ unexpected }) => unexpected.length > 0).length;
  const differences = countOf(countUnexpected(result), 'unexpected difference');
  return `${differences} with ${countOf(causes, 'cause')} in ${cases} of ${countOf(coverage.cases, 'case')}.`;
};

const gapOf = ({ stopped }: RunResult): string | undefined =>
  stopped && `Incomplete run. ${stopped}`;

const incomplete = (text: string): RunVerdict => ({ kind: 'incomplete', text, exitCode: 1 });

const verdictOf = (
  result: RunResult,
  coverage: Coverage,
  causes: number,
  failures: readonly string[],
): RunVerdict => {
  if (countUnexpected(result) > 0)
    return { kind: 'different', text: differenceText(result, coverage, causes), exitCode: 1 };
  const gap = gapOf(result);
  if (gap !== undefined) return incomplete(gap);
  const nothing = nothingCompared(result, coverage);
  if (nothing !== undefined)
    return { kind: 'nothing', text: `Nothing was compared: ${nothing}.`, exitCode: 2 };
  if (failures.length > 0) {
    const texts = failures.map((one) => one.replace(/\.$/, ''));
    return incomplete(`The baseline is out of date. ${texts.join('. ')}.`);
  }
  return { kind: 'same', text: 'No unexpected difference.', exitCode: 0 };
};

export interface RunReport {
  readonly result: RunResult;
  readonly coverage: Coverage;
  readonly causes: readonly Cause[];
  readonly verdict: RunVerdict;
  readonly known: Pick<ComparedWithBaseline, 'accepted' | 'failures'>;
  readonly failures: readonly string[];
}

/** The report of a run. Differences that a baseline accepts do not count. */
export const createReport = (run: RunResult, compared?: ComparedWithBaseline): RunReport => {
  const { result, ...known } = compared ?? { result: run, accepted: [], failures: [] };
  const coverage = coverageOf(result);
  const causes = causesOf(result.cases);
  const verdict = verdictOf(result, coverage, causes.length, known.failures);
  const failures = [gapOf(result) ?? [], known.failures].flat();
  return {
    ...{ result, coverage, causes, known, verdict },
    failures: failures.filter((text) => text !== verdict.text),
  };
};

export const coverageText = ({ cases, items, members, rows }: Coverage): string =>
  `Compared: ${countOf(cases, 'case')}, ${countOf(items, 'item')}, ${countOf(members, 'statement')}; ${rows.exercised.length} of ${rowIds.length} rows of the mapping.`;
