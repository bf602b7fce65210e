import { plainText } from '../../../adapters/text/plain-text.ts';
import type { Json } from '../../../src/domain/json.ts';
import { countOf, sum } from '../../../src/domain/quantities.ts';
import type { Cause } from '../causes.ts';
import { type ComparedLine, type ComparedMember, storedReason } from '../checks/lines.ts';
import { type FoundDifference, titleOfDifference } from '../differences.ts';
import type { RunResult } from '../results.ts';
import type { RunReport } from '../verdict.ts';

/** Reports cut longer values; the JSON report has them whole. */
const maxCharacters = 300;

export const formatValue = (value: Json): string => {
  const text = plainText(JSON.stringify(value));
  return text.length > maxCharacters
    ? `${text.slice(0, maxCharacters)}… (${text.length} characters)`
    : text;
};

const formatMember = (member: ComparedMember | undefined): string =>
  member === undefined ? '–' : `${plainText(member.path)} ${formatValue(member.value)}`.trim();

const sideLines = (side: string, member: ComparedMember | undefined, path: string): string[] => [
  `     ${plainText(side)}  GET ${plainText(path)}`,
  `       ${formatMember(member)}`,
];

/** An item that is stored and not answered; nothing where a line names the stored value itself. */
const storedLines = ({ left, stored }: ComparedLine): string[] =>
  left !== undefined || stored === undefined
    ? []
    : ['     stored', `       ${formatMember(stored)}`];

/** One difference: requests, paths and values of both sides, or of one side and the stored data. */
export const describeExample = (
  { block, line, one }: FoundDifference,
  sides: RunResult['sides'],
): string[] => [
  `   in ${plainText(one.name)}, ${plainText(block)}: ${plainText(line.unexpected ?? '')}`,
  ...sideLines(sides.left, line.left, one.paths.left),
  ...(line.reason === storedReason
    ? storedLines(line)
    : sideLines(sides.right, line.right, one.paths.right)),
];

/**
 * Divides a text into the part that differs from another text and the shared parts before and after
 * it.
 */
export const differenceFrom = (text: string, other: string) => {
  const [ours, theirs] = [[...text], [...other]];
  const shorter = Math.min(ours.length, theirs.length);
  let start = 0;
  while (start < shorter && ours[start] === theirs[start]) start += 1;
  let end = 0;
  while (end < shorter - start && ours.at(-1 - end) === theirs.at(-1 - end)) end += 1;
  const parts = [
    ours.slice(0, start),
    ours.slice(start, ours.length - end),
    ours.slice(ours.length - end),
  ];
  const [before = '', own = '', after = ''] = parts.map((part) => part.join(''));
  return { before, own, after };
};

export const describeCause = (cause: Pick<Cause, 'row' | 'violation'>): string =>
  plainText(titleOfDifference(cause));

/** Names in one line; beyond the first ones only their number. */
export const listNames = (names: readonly string[], maxNames = 8): string => {
  const listed = names.slice(0, maxNames).map(plainText).join(', ');
  return names.length > maxNames ? `${listed} and ${names.length - maxNames} more` : listed;
};

/** A known difference in one line, with how much of it is left. */
export const describeKnown = ({ entry, cause }: RunReport['known']['accepted'][number]): string =>
  plainText(
    `Known until ${entry.until}: ${describeCause(cause)} (${entry.reason}) ${countOf(cause.items, 'item')} in ${countOf(cause.cases.length, 'case')}`,
  );

/**
 * What follows from a cause, in one line, with the number of differences; none when nothing does.
 */
export const describeConsequences = ({ consequences }: Cause): readonly string[] => {
  const count = sum(consequences.map(({ found }) => found.length));
  const names = listNames(consequences.map((one) => describeCause(one).replace(/\.$/, '')));
  return count === 0
    ? []
    : [
        `With it ${countOf(count, 'difference')} that ${count === 1 ? 'follows' : 'follow'}: ${names}.`,
      ];
};
