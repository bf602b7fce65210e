import { crosswalk } from '../../compare/crosswalk.ts';
import type { Parameter, ParameterRow } from '../../compare/request-rows.ts';
import type { UsageCount } from '../../usage.ts';
import { type Move, pathOf, type Seen, seenIn, timesGiven } from './seen.ts';

/** A parameter that has to be sent otherwise after the move. */
export interface ParameterFinding extends Seen {
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
  if (ours?.range === undefined || theirs?.range === undefined || ours.range.most <= theirs.range.most) return [];
  const { most } = theirs.range;
  return [
    {
      parameter: `${nameOf(ours)} above ${most}`,
      instead: `${nameOf(theirs)}${most}`,
      remark: row.reason,
      ...seenIn(counts, ({ uses }) => uses[`${ours.name}>${most}`] ?? 0),
    },
  ];
};

/**
 * Lists that were asked for without saying how long they may be, where the other form gives shorter ones. Who asks for one
 * artist wants no list; how often that was is known only by itself, so this is told of no more requests than are certain.
 */
const shorterByDefault = (
  row: ParameterRow,
  counts: readonly UsageCount[],
  { from, to }: Move,
  artists: number,
): ParameterFinding[] => {
  const [ours, theirs] = [row[from], row[to]];
  if (ours?.range === undefined || theirs?.range === undefined) return [];
  if (ours.range.standard <= theirs.range.standard || artists <= theirs.range.standard) return [];
  const lists = ({ status }: UsageCount): boolean => status === 200;
  return [
    {
      parameter: `${ours.path} without ${ours.name}=`,
      instead: `${nameOf(theirs)}${Math.min(ours.range.standard, theirs.range.most)}`,
      remark: `Without it a page has ${theirs.range.standard} of them, not ${ours.range.standard}.`,
      ...seenIn(counts.filter(lists), (count) =>
        Math.max(0, count.requests - timesGiven(count, ours.name) - timesGiven(count, 'id')),
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
