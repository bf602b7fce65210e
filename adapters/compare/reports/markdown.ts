import { countOf } from '../../../src/domain/count-of.ts';
import { escapeMarkdown, markdownCode } from '../../text/markdown.ts';
import type { Cause } from '../causes.ts';
import type { ComparedMember } from '../checks/members.ts';
import { formatSkipped, type RunResult } from '../results.ts';
import { coverageText, type RunReport } from '../verdict.ts';
import { describeFollowers, describeKnown, formatMember, listCases } from './values.ts';

const memberText = (side: string, member: ComparedMember | undefined): string =>
  `- ${escapeMarkdown(side)}: ${member === undefined ? '–' : markdownCode(formatMember(member))}`;

const causeText = (cause: Cause, index: number, sides: RunResult['sides']): string[] => {
  const { row, violation, cases, items, found } = cause;
  const [{ one, block, line }] = found;
  const followers = describeFollowers(cause);
  return [
    `### ${index + 1}. ${row === undefined ? 'no row' : markdownCode(row)}: ${escapeMarkdown(violation)}`,
    escapeMarkdown(`${countOf(cases.length, 'case')}, ${countOf(items, 'item')}: ${listCases(cause)}.`),
    `For example in ${markdownCode(one.name)}, ${markdownCode(block)}:`,
    [memberText(sides.current, line.current), memberText(sides.variant, line.variant)].join('\n'),
    ...(followers === undefined ? [] : [escapeMarkdown(followers)]),
  ];
};

/** A run as Markdown that is also readable as text, for the summary of a CI job: paragraphs and lists, without tables. */
export const formatMarkdown = ({ result, causes, verdict, coverage, known }: RunReport): string =>
  [
    `## ${verdict.exitCode === 0 ? '✅' : '❌'} ${escapeMarkdown(verdict.text)}`,
    escapeMarkdown(`${result.heading}, at ${result.now}. ${coverageText(coverage)}`),
    ...causes.flatMap((cause, index) => causeText(cause, index, result.sides)),
    ...[...known.accepted.map(describeKnown), ...known.failures, ...formatSkipped(result), ...result.notes].map(
      escapeMarkdown,
    ),
    '',
  ].join('\n\n');
