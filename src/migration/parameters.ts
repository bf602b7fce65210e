import { crosswalk } from '../crosswalk/crosswalk.ts';
import type { Parameter, ParameterRow } from '../crosswalk/rows.ts';
import type { UsageCount } from '../domain/usage.ts';
import { type Move, type Occurrences, pathOf, seenIn, timesGiven } from './evidence.ts';

/** A parameter that has to be sent otherwise after the move. */
export interface ParameterFinding extends Occurrences {
  readonly parameter: string;
  /** What to send; `undefined` when the other form has nothing like it. */
  readonly instead: string | undefined;
  readonly remark: string;
}

const nameOf = ({ path, name }: Parameter): string => `${path}?${name}=`;

const isSame = ({ kind }: ParameterRow, ours: Parameter, theirs: Parameter | undefined): boolean =>
  kind !== 'derived' && theirs !== undefined && nameOf(ours) === nameOf(theirs);

/** What was sent of a parameter that the other form has otherwise, or not at all. */
const renamed = (row: ParameterRow, counts: readonly UsageCount[], { from, to }: Move): ParameterFinding[] => {
  const [ours, theirs] = [row[from], row[to]];
  if (ours === undefined || isSame(row, ours, theirs)) return [];
  return [
    {
      parameter: nameOf(ours),
      instead: theirs && `${nameOf(theirs)}${nameOf(theirs) === nameOf(ours) ? ' (other values)' : ''}`,
      remark: row.reason,
      ...seenIn(counts, (count) => timesGiven(count, ours.name)),
    },
  ];
};

/** A number of one form that is out of the other's range. */
const outOfRange = (row: ParameterRow, counts: readonly UsageCount[], { from, to }: Move): ParameterFinding[] => {
  const [ours, theirs] = [row[from], row[to]];
  if (ours?.range === undefined || theirs?.range === undefined || ours.range.max <= theirs.range.max) return [];
  const { max } = theirs.range;
  return [
    {
      parameter: `${nameOf(ours)} above ${max}`,
      instead: `${nameOf(theirs)}${max}`,
      remark: row.reason,
      ...seenIn(counts, ({ uses }) => uses[`${ours.name}>${max}`] ?? 0),
    },
  ];
};

/** Parameters of a path with which something else is asked in the other form: another path, or one artist and no list. */
const leadingElsewhere = ({ path }: Parameter, { from, to }: Move): readonly string[] =>
  crosswalk.parameters
    .filter((row) => row[from]?.path === path)
    .filter((row) => row.kind === 'derived' || (row[to] !== undefined && row[to].path !== path))
    .flatMap((row) => row[from]?.name ?? []);

/**
 * Lists that were asked for without saying how long they may be, where the other form gives shorter ones. How often two
 * parameters were sent together is not known, so this is told of no more requests than are certain.
 */
const shorterByDefault = (
  row: ParameterRow,
  counts: readonly UsageCount[],
  move: Move,
  artists: number,
): ParameterFinding[] => {
  const [ours, theirs] = [row[move.from], row[move.to]];
  if (ours?.range === undefined || theirs?.range === undefined) return [];
  if (ours.range.default <= theirs.range.default || artists <= theirs.range.default) return [];
  const others = [ours.name, ...leadingElsewhere(ours, move)];
  const without = (count: UsageCount): number =>
    others.reduce((rest, name) => rest - timesGiven(count, name), count.requests);
  return [
    {
      parameter: `${ours.path} without ${ours.name}=`,
      instead: `${nameOf(theirs)}${Math.min(ours.range.default, theirs.range.max)}`,
      remark: `Without it a page has ${theirs.range.default} of them, not ${ours.range.default}.`,
      ...seenIn(
        counts.filter(({ status }) => status === 200),
        (count) => Math.max(0, without(count)),
      ),
    },
  ];
};

/**
 * Every parameter that was sent and has to be sent otherwise in the other form, by the crosswalk.
 *
 * @param counts requests served in the form it moves from
 * @param artists how long the shortlist is
 */
export const findParameters = (counts: readonly UsageCount[], move: Move, artists: number): ParameterFinding[] =>
  crosswalk.parameters
    .flatMap((row) => {
      const here = counts.filter((count) => pathOf(count) === row[move.from]?.path);
      return [
        ...renamed(row, here, move),
        ...outOfRange(row, here, move),
        ...shorterByDefault(row, here, move, artists),
      ];
    })
    .filter(({ requests }) => requests > 0);
