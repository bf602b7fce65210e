import { groupBy } from '../../src/domain/groups.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { countOccurrences, givenAs, type Move, pathOf, sumOccurrences } from './evidence.ts';
import { mapping } from './mapping/mapping.ts';
import type { Parameter, ParameterRow } from './mapping/rows.ts';

/** A parameter of the form left, and the requests for its path. */
interface ParameterMove {
  readonly row: ParameterRow;
  readonly ours: Parameter;
  /** Its counterpart; `undefined` when the other form has none. */
  readonly theirs: Parameter | undefined;
  readonly counts: readonly UsageCount[];
}

/**
 * Every parameter of the form left, in the order of the mapping, with the requests that could
 * have it.
 */
const parameterMoves = (
  counts: readonly UsageCount[],
  { from, to }: Move,
): readonly ParameterMove[] => {
  const paths = groupBy(counts, pathOf);
  return mapping.parameters.flatMap((row) => {
    const { [from]: ours, [to]: theirs } = row;
    return ours === undefined ? [] : [{ row, ours, theirs, counts: paths.get(ours.path) ?? [] }];
  });
};

/** A query that sets a parameter; without a value its beginning. */
const queryOf = ({ path, name }: Parameter, value: string | number = ''): string =>
  `${path}?${name}=${value}`;

/** Whether a parameter is sent to the same path under the same name. */
const hasSameName = ({ ours, theirs }: ParameterMove): boolean =>
  theirs !== undefined && queryOf(ours) === queryOf(theirs);

/**
 * Requests with a parameter that the other form names differently, takes other values for or does
 * not have.
 */
const findRenamed = (parameter: ParameterMove) => {
  const { row, ours, theirs, counts } = parameter;
  if (row.kind !== 'derived' && hasSameName(parameter)) return [];
  const given = givenAs(ours.name);
  return [
    {
      parameter: queryOf(ours),
      instead: theirs && `${queryOf(theirs)}${hasSameName(parameter) ? ' (other values)' : ''}`,
      remark: row.reason,
      ...sumOccurrences(counts, (count) => countOccurrences(count, given)),
    },
  ];
};

/** Requests with a number above the other form's range. */
const findOutOfRange = ({ row, ours, theirs, counts }: ParameterMove) => {
  if (ours.range === undefined || theirs?.range === undefined || ours.range.max <= theirs.range.max)
    return [];
  const { max } = theirs.range;
  return [
    {
      parameter: `${queryOf(ours)} above ${max}`,
      instead: queryOf(theirs, max),
      remark: row.reason,
      ...sumOccurrences(counts, ({ uses }) => uses[`${ours.name}>${max}`] ?? 0),
    },
  ];
};

/**
 * Parameters of a path that make it another request in the other form: another path, or one artist
 * instead of a list.
 */
const redirectingParameters = ({ path }: Parameter, { from, to }: Move): readonly string[] =>
  mapping.parameters
    .filter((row) => row[from]?.path === path)
    .filter((row) => row.kind === 'derived' || (row[to] !== undefined && row[to].path !== path))
    .flatMap((row) => row[from]?.name ?? []);

/**
 * Requests for a list without a limit, where the other form's default is shorter. Usage does not
 * show how often two parameters were sent together, so this counts only the requests that certainly
 * had no limit.
 */
const findShorterByDefault = (
  { ours, theirs, counts }: ParameterMove,
  move: Move,
  artists: number,
) => {
  if (ours.range === undefined || theirs?.range === undefined) return [];
  if (ours.range.default <= theirs.range.default || artists <= theirs.range.default) return [];
  const others = [ours.name, ...redirectingParameters(ours, move)].map(givenAs);
  const without = (count: UsageCount): number =>
    others.reduce((rest, given) => rest - countOccurrences(count, given), count.requests);
  return [
    {
      parameter: `${ours.path} without ${ours.name}=`,
      instead: queryOf(theirs, Math.min(ours.range.default, theirs.range.max)),
      remark: `Without it a page has ${theirs.range.default} of them, not ${ours.range.default}.`,
      ...sumOccurrences(
        counts.filter(({ status }) => status === 200),
        (count) => Math.max(0, without(count)),
      ),
    },
  ];
};

/**
 * Every parameter that was sent and has to be sent differently in the other form, by the mapping.
 * Without `instead` the other form has none.
 *
 * @param counts requests served in the form it moves from
 * @param artists number of artists on the shortlist
 */
export const findParameters = (counts: readonly UsageCount[], move: Move, artists: number) =>
  parameterMoves(counts, move)
    .flatMap((parameter) => [
      ...findRenamed(parameter),
      ...findOutOfRange(parameter),
      ...findShorterByDefault(parameter, move, artists),
    ])
    .filter(({ requests }) => requests > 0);
