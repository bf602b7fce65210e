import { Marked } from 'marked';
import { escapeHtml, html, Markup } from '../text/html.ts';
import { codeBlock, copyButton, table } from './elements.ts';

/** A section of a page: what follows a second-level heading. */
export interface Chapter {
  readonly id: string;
  readonly title: string;
  /** What readers may look for to find it, beside its own words. */
  readonly words?: string | undefined;
  readonly body: Markup;
}

/** A heading's text as the fragment of a link. */
const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** A demo key, which readers copy. */
const keyText = /^aik_\w{20,}$/;

/** How blocks of code of some languages are shown that are no code. */
export type Blocks = Readonly<Record<string, (text: string) => Markup>>;

/** The lines that a fence names behind its language: `{2,5-8}`. */
const linesOf = (marks: string): ReadonlySet<number> =>
  new Set(
    [...marks.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, from, to = from]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
    ),
  );

/** Markdown without HTML and without images, which would come from another host. */
const marked = (blocks: Blocks = {}) =>
  new Marked({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      code({ text, lang = '' }) {
        const [language = '', marks = ''] = lang.split(' ');
        const block = blocks[language]?.(text);
        return (block ?? codeBlock(text, language, undefined, linesOf(marks))).text;
      },
      codespan: ({ text }) =>
        (keyText.test(text)
          ? html`<span class="copied">${copyButton}<code>${text}</code></span>`
          : html`<code>${text}</code>`
        ).text,
      table({ header, rows }) {
        const cell = ({ tokens }: (typeof header)[number]): Markup =>
          new Markup(this.parser.parseInline(tokens));
        // Narrow screens show a row as a list, each cell with the title of its column.
        const row = (cells: typeof header): Markup =>
          html`<tr>${cells.map((each, column) => html`<td data-label="${header[column]?.text ?? ''}">${cell(each)}</td>`)}</tr>`;
        return table(header.map(cell), rows.map(row)).text;
      },
    },
  });

export const renderMarkdown = (text: string, blocks?: Blocks): Markup =>
  new Markup(marked(blocks).parse(text, { async: false }));

export const renderInline = (text: string): Markup =>
  new Markup(marked().parseInline(text, { async: false }));

/** What follows the heading of a chapter: other words for its subject, which search knows. */
const otherWords = /^<!-- also: (.*) -->\n/gm;

/** Leaves out what only search reads. */
export const withoutOtherWords = (text: string): string => text.replaceAll(otherWords, '');

/**
 * Splits a text at its second-level headings: what comes before the first, and the chapters, whose
 * ids begin with `prefix`.
 */
export const readChapters = (text: string, prefix: string, blocks?: Blocks) => {
  const [introduction = '', ...parts] = text.split(/^## /m);
  const chapters = parts.map((part): Chapter => {
    const [title = '', ...lines] = part.split('\n');
    const content = lines.join('\n');
    const [words] = content.matchAll(otherWords);
    const body = renderMarkdown(withoutOtherWords(content), blocks);
    return { id: prefix + slug(title), title: title.trim(), words: words?.[1], body };
  });
  return { introduction: renderMarkdown(introduction, blocks), chapters };
};
