import type { Line } from './row.ts';

const verdict = ({ met }: Line): string => (met === undefined ? '–' : met ? 'met' : 'NOT MET');

/** The table, and below it what else was seen. Markdown, which also reads well on a terminal. */
export const report = (lines: readonly Line[], machine: readonly string[], remarks: readonly string[]): string => {
  const table = lines.map(
    (line, index) => `| ${index + 1} | ${line.what} | ${line.goal ?? '–'} | ${line.figure} | ${verdict(line)} |`,
  );
  const details = lines.flatMap(({ what, notes }, index) =>
    notes.length === 0 ? [] : [`**${index + 1}. ${what}**`, '', ...notes.map((note) => `- ${note}`), ''],
  );
  return [
    '# Measured',
    '',
    ...machine.map((line) => `- ${line}`),
    ...remarks.map((line) => `- ${line}`),
    '',
    '| | what | goal | figure | |',
    '|---|---|---|---|---|',
    ...table,
    '',
    ...details,
  ].join('\n');
};
