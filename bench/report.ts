import type { Summary } from './summary.ts';

/** The figures of a machine as Markdown that is also readable on a terminal. */
export const writeSection = (
  heading: string,
  remarks: readonly string[],
  summaries: readonly Summary[],
): string => {
  const table = summaries.map(
    ({ what, goal, figure, range, verdict }, index) =>
      `| ${[index + 1, what, goal, figure, range, verdict].join(' | ')} |`,
  );
  const details = summaries.flatMap(({ notes }, index) =>
    notes.length === 0 ? [] : [`- **${index + 1}** ${notes.join('; ')}`],
  );
  return [
    `## ${heading}`,
    '',
    ...remarks.map((line) => `- ${line}`),
    '',
    '| | what | goal | median | range | |',
    '|---|---|---|---|---|---|',
    ...table,
    '',
    'Details, each of the run next to the median:',
    '',
    ...details,
    '',
  ].join('\n');
};

/** Replaces the section with the same heading, or adds a section before all others. */
export const replaceSection = (document: string, section: string): string => {
  const [introduction = '', ...sections] = document.split(/^(?=## )/m);
  const headingOf = (text: string): string | undefined => text.split('\n', 1)[0];
  const place = sections.findIndex((other) => headingOf(other) === headingOf(section));
  const text = `${section.trimEnd()}\n\n`;
  if (place === -1) sections.unshift(text);
  else sections[place] = text;
  return `${[introduction, ...sections].join('').trimEnd()}\n`;
};
