import { z } from 'zod';
import type { Day } from '../../src/domain/day.ts';
import { type Cause, causesOf, withoutValues } from './causes.ts';
import type { ComparedLine } from './checks/members.ts';
import type { CaseResult, RunResult } from './results.ts';

const knownDifference = z.strictObject({
  /** The id of the row; absent for a violation that no row is about. */
  row: z.string().exactOptional(),
  /** The violation, without values, as reports have it. */
  violation: z.string().min(1),
  /** Why it is accepted. */
  reason: z.string().min(1),
  /** The last day on which it is accepted. */
  until: z.iso.date(),
});

/** Differences that are known and accepted for a time, as a baseline file has them. */
export const baselineSchema = z.array(knownDifference);

export type KnownDifference = z.infer<typeof knownDifference>;

/** A run without its known differences. */
export interface ComparedWithBaseline {
  readonly result: RunResult;
  /** The differences that the baseline accepts. */
  readonly accepted: readonly { readonly entry: KnownDifference; readonly cause: Cause }[];
  /** Entries that make the run fail: each is past its last day, or about nothing that the run found. */
  readonly failures: readonly string[];
}

const matches = (entry: KnownDifference, { row, violation }: Pick<Cause, 'row' | 'violation'>): boolean =>
  entry.row === row && entry.violation === violation;

const titleOf = ({ row, violation }: KnownDifference): string => `${row ?? 'no row'}: ${violation}`;

/** Takes the differences that the baseline accepts out of a case: their lines hold, for the reason of the entry. */
const acceptIn = (one: CaseResult, baseline: readonly KnownDifference[]): CaseResult => {
  const entryOf = ({ row, unexpected }: ComparedLine): KnownDifference | undefined =>
    unexpected === undefined
      ? undefined
      : baseline.find((entry) => matches(entry, { row, violation: withoutValues(unexpected) }));
  const accept = (line: ComparedLine): ComparedLine => {
    const entry = entryOf(line);
    if (entry === undefined) return line;
    return { ...line, unexpected: undefined, reason: `Known until ${entry.until}: ${entry.reason}` };
  };
  return {
    ...one,
    blocks: one.blocks.map((block) => ({ ...block, lines: block.lines.map(accept) })),
    unexpected: one.unexpected.filter(({ line }) => entryOf(line) === undefined),
  };
};

export interface BaselineTerms {
  readonly today: Day;
  /** Whether the run had every case: only then is an entry about nothing that it found a failure. */
  readonly isWhole: boolean;
}

/** Takes the known differences out of a run. Entries past their last day accept nothing. */
export const applyBaseline = (
  result: RunResult,
  baseline: readonly KnownDifference[],
  { today, isWhole }: BaselineTerms,
): ComparedWithBaseline => {
  const causes = causesOf(result.cases);
  const valid = baseline.filter(({ until }) => until >= today);
  const accepted = causes.flatMap((cause) => {
    const entry = valid.find((one) => matches(one, cause));
    return entry === undefined ? [] : [{ entry, cause }];
  });
  const failures = baseline.flatMap((entry) => {
    if (entry.until < today) return [`Expired on ${entry.until}: ${titleOf(entry)}`];
    const isUsed = !isWhole || accepted.some((one) => one.entry === entry);
    return isUsed ? [] : [`Not found by this run: ${titleOf(entry)}`];
  });
  return { result: { ...result, cases: result.cases.map((one) => acceptIn(one, valid)) }, accepted, failures };
};

/** A baseline that accepts every difference of a run: entries that are still used stay, the others get this reason and day. */
export const createBaseline = (
  { accepted, result }: ComparedWithBaseline,
  { reason, until }: Pick<KnownDifference, 'reason' | 'until'>,
): KnownDifference[] => [
  ...accepted.map(({ entry }) => entry),
  ...causesOf(result.cases).map(({ row, violation }) => ({
    ...(row !== undefined && { row }),
    violation,
    reason,
    until,
  })),
];
