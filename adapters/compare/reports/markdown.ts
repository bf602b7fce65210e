import { formatSkipped } from '../results.ts';
import { coverageText, type RunReport } from '../verdict.ts';
import { describeCause, formatValue, listCases, plainText } from './values.ts';

/** A text in a cell: what is Markdown or HTML in it is shown as it is. */
const cellText = (text: string): string =>
  plainText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_{}[\]()#+!|~>-]/g, (character) => `\\${character}`);

const row = (cells: readonly string[]): string => `| ${cells.map(cellText).join(' | ')} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0 ? [] : ['', row(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(row)];

/** A run as Markdown, for the summary of a CI job. */
export const formatMarkdown = ({ result, causes, verdict, coverage, known }: RunReport): string => {
  const { sides } = result;
  const differences = causes.map((cause) => {
    const { current, variant } = cause.found[0].line;
    const values = [current, variant].map((member) =>
      member === undefined ? '–' : `${member.path} ${formatValue(member.value)}`,
    );
    return [describeCause(cause), `${cause.cases.length}`, `${cause.items}`, listCases(cause), ...values];
  });
  const accepted = known.accepted.map(({ entry, cause }) => [describeCause(cause), entry.reason, entry.until]);
  return [
    `## ${verdict.exitCode === 0 ? '✅' : '❌'} ${cellText(verdict.text)}`,
    '',
    cellText(`${result.heading}, at ${result.now}. ${coverageText(coverage)}`),
    ...table(['cause', 'cases', 'items', 'in', sides.current, sides.variant], differences),
    ...table(['known difference', 'reason', 'until'], accepted),
    ...[...known.failures, ...formatSkipped(result), ...result.notes].flatMap((text) => ['', cellText(text)]),
    '',
  ].join('\n');
};
