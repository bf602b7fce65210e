import { escapeMarkdown, markdownTable } from '../../text/markdown.ts';
import { formatSkipped } from '../results.ts';
import { coverageText, type RunReport } from '../verdict.ts';
import { describeCause, formatValue, listCases } from './values.ts';

/** A table of plain texts. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => {
  const drawn = markdownTable(
    head,
    rows.map((cells) => cells.map(escapeMarkdown)),
  );
  return drawn === undefined ? [] : ['', drawn.trimEnd()];
};

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
    `## ${verdict.exitCode === 0 ? '✅' : '❌'} ${escapeMarkdown(verdict.text)}`,
    '',
    escapeMarkdown(`${result.heading}, at ${result.now}. ${coverageText(coverage)}`),
    ...table(['cause', 'cases', 'items', 'in', sides.current, sides.variant], differences),
    ...table(['known difference', 'reason', 'until'], accepted),
    ...[...known.failures, ...formatSkipped(result), ...result.notes].flatMap((text) => ['', escapeMarkdown(text)]),
    '',
  ].join('\n');
};
