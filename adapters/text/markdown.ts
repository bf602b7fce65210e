import { plainText } from './plain-text.ts';

const escapeMarks = (text: string): string =>
  text.replaceAll(/[\\`*_{}[\]<>|#~&]/g, (mark) => `\\${mark}`);

/** What makes GitHub and others turn a word into a link or a mention, also when it is escaped. */
const linking = /:\/\/|www\.|@/i;

/**
 * A text as Markdown shows it literally, also in a cell of a table. Addresses and mentions are
 * code: nothing becomes a link.
 */
export const escapeMarkdown = (text: string): string =>
  plainText(text)
    .split(/([\s|`\\]+)/) // code in a table cannot have these
    .map((part) => (linking.test(part) ? `\`${part}\`` : escapeMarks(part)))
    .join('');

/**
 * A text as code, which Markdown shows literally and a reader of its source too: fenced by more
 * backticks than it has in a row.
 */
export const markdownCode = (text: string): string => {
  const shown = plainText(text);
  const fence = '`'.repeat(
    1 + Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length)),
  );
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
};

/** A table whose cells are Markdown; `undefined` without rows. */
export const markdownTable = (
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string | undefined =>
  rows.length === 0
    ? undefined
    : [titles, titles.map(() => '---'), ...rows]
        .map((cells) => `| ${cells.join(' | ')} |\n`)
        .join('');
