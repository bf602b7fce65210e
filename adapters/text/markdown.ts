import { plainText } from './plain-text.ts';

/**
 * A text as code, unchanged both in Markdown and in the shown page: fenced by more backticks than it
 * has in a row.
 */
export const markdownCode = (text: string): string => {
  const shown = plainText(text);
  const fence = '`'.repeat(
    1 + Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length)),
  );
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
};

/** A table whose cells are Markdown; empty without rows. Escapes bars, which end a cell even in code. */
export const markdownTable = (
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string =>
  rows.length === 0
    ? ''
    : [titles, titles.map(() => '---'), ...rows]
        .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`)
        .join('');
