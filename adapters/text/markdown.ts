import { plainText } from './plain-text.ts';

/** A text as Markdown shows it literally, also in a cell of a table. */
export const escapeMarkdown = (text: string): string =>
  plainText(text).replaceAll(/[\\`*_{}[\]<>|#~&]/g, (mark) => `\\${mark}`);

/** A table whose cells are Markdown; `undefined` without rows. */
export const markdownTable = (titles: readonly string[], rows: readonly (readonly string[])[]): string | undefined =>
  rows.length === 0
    ? undefined
    : [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
