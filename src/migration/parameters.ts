import { crosswalk } from '../crosswalk/crosswalk.ts';
import type { Parameter, ParameterRow } from '../crosswalk/rows.ts';
import { groupBy } from '../domain/groups.ts';
import type { UsageCount } from '../domain/usage.ts';
import { countGiven, type Move, type Occurrences, pathOf, sumOccurrences } from './evidence.ts';

/** A parameter that has to be sent differently after the move. */
export interface ParameterFinding extends Occurrences {
  readonly parameter: string;
  /** The replacement; `undefined` when the other form has none. */
  readonly instead: string | undefined;
  readonly remark: string;
}

const nameOf = ({ path, name }: Parameter): string => `${path}?${name}=`;

const isUnchanged = ({ kind }: ParameterRow, ours: Parameter, theirs: Parameter | undefined): boolean =>
  kind !== 'derived' && theirs !== undefined && nameOf(ours) === nameOf(theirs);

/** Requests with a parameter that the other form names differently or does not have. */
const findRenamed = (row: ParameterRow, counts: readonly UsageCount[], { from, to }: Move): ParameterFinding[] => {
  const [ours, theirs] = [row[from], row[to]];
  if (ours === undefined || isUnchanged(row, ours, theirs)) return [];
  return [
    {
      parameter: nameOf(ours),
      instead: theirs && `${nameOf(theirs)}${nameOf(theirs) === nameOf(ours) ? ' (other values)' : ''}`,
      remark: row.reason,
      ...sumOccurrences(counts, (count) => countGiven(count, ours.name)),
    },
  ];
};

/** Requests with a number above the other form's range. */
const findOutOfRange = (row: ParameterRow, counts: readonly UsageCount[], { from, to }: Move): ParameterFinding[] => {
  const [ours, theirs] = [row[from], row[to]];
  if (ours?.range === undefined || theirs?.range === undefined || ours.range.max <= theirs.range.max) return [];
  const { max } = theirs.range;
  return [
    {
      parameter: `${nameOf(ours)} above ${max}`,
      instead: `${nameOf(theirs)}${max}`,
      remark: row.reason,
      ...sumOccurrences(counts, ({ uses }) => uses[`${ours.name}>${max}`] ?? 0),
    },
  ];
};

/** Parameters of a path that make it another request in the other form: another path, or one artist instead of a list. */
const redirectingParameters = ({ path }: Parameter, { from, to }: Move): readonly string[] =>
  crosswalk.parameters
    .filter((row) => row[from]?.path === path)
    .filter((row) => row.kind === 'derived' || (row[to] !== undefined && row[to].path !== path))
    .flatMap((row) => row[from]?.name ?? []);

/**
 * Requests for a list without a limit, where the other form's default is shorter. Usage does not show how often two parameters
 * were sent together, so this counts only the requests that certainly had no limit.
 */
const findShorterByDefault = (
  row: ParameterRow,
  counts: readonly UsageCount[],
  move: Move,
  artists: number,
): ParameterFinding[] => {
  const [ours, theirs] = [row[move.from], row[move.to]];
  if (ours?.range === undefined || theirs?.range === undefined) return [];
  if (ours.range.default <= theirs.range.default || artists <= theirs.range.default) return [];
  const others = [ours.name, ...redirectingParameters(ours, move)];
  const without = (count: UsageCount): number =>
    others.reduce((rest, name) => rest - countGiven(count, name), count.requests);
  return [
    {
      parameter: `${ours.path} without ${ours.name}=`,
      instead: `${nameOf(theirs)}${Math.min(ours.range.default, theirs.range.max)}`,
      remark: `Without it a page has ${theirs.range.default} of them, not ${ours.range.default}.`,
      ...sumOccurrences(
        counts.filter(({ status }) => status === 200),
        (count) => Math.max(0, without(count)),
      ),
    },
  ];
};

/**
 * Every parameter that was sent and has to be sent differently in the other form, by the crosswalk.
 *
 * @param counts requests served in the form it moves from
 * @param artists number of artists on the shortlist
 */
export const findParameters = (counts: readonly UsageCount[], move: Move, artists: number): ParameterFinding[] => {
  const paths = groupBy(counts, pathOf);
  return crosswalk.parameters
    .flatMap((row) => {
      const onPath = paths.get(row[move.from]?.path) ?? [];
      return [
        ...findRenamed(row, onPath, move),
        ...findOutOfRange(row, onPath, move),
        ...findShorterByDefault(row, onPath, move, artists),
      ];
    })
    .filter(({ requests }) => requests > 0);
};
