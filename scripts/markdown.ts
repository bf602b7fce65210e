import { markdownTable } from '../adapters/text/markdown.ts';

/**
 * Pieces of the pages that are written from tables of the product; their texts are Markdown, and
 * not a client's.
 */

/** A name as code, also in a cell of a table; a dash without one. */
export const code = (text: string | undefined): string =>
  text === undefined ? '–' : `\`${text.replaceAll('|', '\\|')}\``;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  markdownTable(head, rows)?.trimEnd() ?? '';
