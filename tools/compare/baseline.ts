import { z } from 'zod';
import type { Day } from '../../src/domain/day.ts';
import { groupBy } from '../../src/domain/groups.ts';
import type { Json } from '../../src/domain/json.ts';
import type { ComparedLine } from './checks/lines.ts';
import {
  type DifferenceGroup,
  groupDifferences,
  markOf,
  marksIn,
  titleOfDifference,
} from './differences.ts';
import type { CaseResult, RunResult } from './results.ts';

const member = z.object({ path: z.string(), value: z.custom<Json>() });

/** Why a known difference is accepted, and the last day (UTC) on which it is. */
export const acceptance = {
  reason: z.string().trim().min(1),
  until: z.iso.date(),
};

const knownDifference = z.strictObject({
  row: z.string().exactOptional(),
  violation: z.string().min(1),
  ...acceptance,
  example: z.object({
    case: z.string(),
    where: z.string(),
    current: member.exactOptional(),
    variant: member.exactOptional(),
  }),
  /** The differences of each case, as marks: eight characters for each. */
  cases: z.record(z.string(), z.string()),
});

export const baselineSchema = z.array(knownDifference);

export type KnownDifference = z.infer<typeof knownDifference>;

export interface ComparedWithBaseline {
  readonly result: RunResult;
  readonly accepted: readonly {
    readonly entry: KnownDifference;
    readonly cause: DifferenceGroup;
  }[];
  /**
   * What makes the run fail: expired entries, entries that match nothing, and entries whose
   * difference has changed.
   */
  readonly failures: readonly string[];
  readonly kept: readonly KnownDifference[];
}

const isAbout = (entry: KnownDifference, group: DifferenceGroup): boolean =>
  titleOfDifference(entry) === titleOfDifference(group);

const assignEntries = (
  groups: readonly DifferenceGroup[],
  baseline: readonly KnownDifference[],
) => {
  const entryOf = new Map<ComparedLine, KnownDifference>();
  for (const entry of baseline) {
    const left = new Map(Object.entries(entry.cases).map(([name, text]) => [name, marksIn(text)]));
    for (const difference of groups
      .filter((one) => isAbout(entry, one))
      .flatMap(({ found }) => found)) {
      const marks = left.get(difference.one.name) ?? [];
      const index = marks.indexOf(markOf(difference));
      if (index === -1 || entryOf.has(difference.line)) continue;
      marks.splice(index, 1);
      entryOf.set(difference.line, entry);
    }
  }
  return entryOf;
};

const acceptIn = (
  one: CaseResult,
  entryOf: ReadonlyMap<ComparedLine, KnownDifference>,
): CaseResult => {
  const accept = (line: ComparedLine): ComparedLine => {
    const entry = entryOf.get(line);
    return entry
      ? { ...line, unexpected: undefined, reason: `Known until ${entry.until}: ${entry.reason}` }
      : line;
  };
  return {
    ...one,
    blocks: one.blocks.map((block) => ({ ...block, lines: block.lines.map(accept) })),
    unexpected: one.unexpected.filter(({ line }) => !entryOf.has(line)),
  };
};

const describeChange = (
  [entry]: readonly KnownDifference[],
  { found }: DifferenceGroup,
): string[] => {
  if (entry === undefined) return [];
  const { case: name, where, current, variant } = entry.example;
  const values = [current, variant]
    .map((one) => (one ? `${one.path} ${JSON.stringify(one.value)}` : '–'))
    .join(' | ');
  return [
    `Known, but not like this: ${titleOfDifference(entry)} ${found.length} new. Accepted is, as in ${name}, ${where}: ${values}`,
  ];
};

const hasRun = ({ cases }: RunResult, entry: KnownDifference): boolean =>
  Object.keys(entry.cases).every((name) => cases.some((one) => one.name === name));

/** Takes the known differences out of a run. Entries past their last day accept nothing. */
export const applyBaseline = (
  result: RunResult,
  baseline: readonly KnownDifference[],
  today: Day,
): ComparedWithBaseline => {
  const valid = baseline.filter(({ until }) => until >= today);
  const groups = groupDifferences(result.cases);
  const entryOf = assignEntries(groups, valid);
  const cases = result.cases.map((one) => acceptIn(one, entryOf));
  const accepted = valid.flatMap((entry) => {
    const isOfEntry = ({ line }: { readonly line: ComparedLine }) => entryOf.get(line) === entry;
    return groupDifferences(
      result.cases.map((one) => ({ ...one, unexpected: one.unexpected.filter(isOfEntry) })),
    ).map((cause) => ({ entry, cause }));
  });
  const isAccepting = (entry: KnownDifference) => accepted.some((one) => one.entry === entry);
  const unused = valid.filter((entry) => hasRun(result, entry) && !isAccepting(entry));
  return {
    result: { ...result, cases },
    accepted,
    failures: [
      ...baseline
        .filter(({ until }) => until < today)
        .map((entry) => `Expired on ${entry.until}: ${titleOfDifference(entry)}`),
      ...unused.map((entry) => `Not found by this run: ${titleOfDifference(entry)}`),
      ...groupDifferences(cases).flatMap((group) =>
        describeChange(
          valid.filter((entry) => isAbout(entry, group)),
          group,
        ),
      ),
    ],
    kept: baseline.filter((entry) => isAccepting(entry) || !hasRun(result, entry)),
  };
};

type Terms = Pick<KnownDifference, 'reason' | 'until'>;

const toEntry = (
  { row, violation, found }: DifferenceGroup,
  { reason, until }: Terms,
): KnownDifference => {
  const [{ one, block, line }] = found;
  const { left, right } = line;
  const marks = [...groupBy(found, (difference) => difference.one.name)].map(
    ([name, ofCase]) => [name, ofCase.map(markOf).join('')] as const,
  );
  return {
    ...(row !== undefined && { row }),
    violation,
    reason,
    until,
    example: {
      case: one.name,
      where: block,
      ...(left && { current: left }),
      ...(right && { variant: right }),
    },
    cases: Object.fromEntries(marks),
  };
};

/**
 * A baseline that accepts every difference of a run: entries that are still used stay, the others
 * get this reason and day.
 */
export const createBaseline = (
  { kept, result }: ComparedWithBaseline,
  terms: Terms,
): KnownDifference[] => [
  ...kept,
  ...groupDifferences(result.cases).map((group) => toEntry(group, terms)),
];
