import { Marked } from 'marked';
import { html, Markup } from '../../adapters/text/html.ts';
import { safeRenderer } from '../../tools/cli/migration/guide-html.ts';
import { codeBlock, copyButton } from './elements.ts';

/** A section of a page: what follows a second-level heading. */
export interface Chapter {
  readonly id: string;
  readonly title: string;
  /** Search words that the chapter itself does not contain. */
  readonly words?: string | undefined;
  readonly body: Markup;
  /** The chapter without markup, for search. */
  readonly text: string;
}

/** A name as code, even in a cell of a table; a dash without a name. */
export const code = (text: string | undefined): string =>
  text === undefined ? '–' : `\`${text.replaceAll('|', '\\|')}\``;

/** Joins the parts of a Markdown text that are not empty. */
export const paragraphs = (...parts: readonly string[]): string =>
  `${parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')}\n`;

/** A heading's text as the fragment of a link. */
const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** A demo key, which readers copy. */
const keyText = /^aik_\w{20,}$/;

/** Renderers of code blocks by their language. */
export type Blocks = Readonly<Record<string, (text: string) => Markup>>;

/** The line numbers that a fence has behind its language: `{2,5-8}`. */
const linesOf = (marks: string): ReadonlySet<number> =>
  new Set(
    [...marks.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, from, to = from]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
    ),
  );

const marked = (blocks: Blocks = {}) =>
  new Marked({
    renderer: {
      ...safeRenderer,
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
    },
  });

/** A line that begins or ends a text for some gateways only: `{{#sandbox}}`. */
const condition = /^(\{\{[#^/]\w+\}\})$/m;

export const renderMarkdown = (text: string, blocks?: Blocks): Markup =>
  new Markup(
    text
      .split(condition)
      .map((part) => (condition.test(part) ? part : marked(blocks).parse(part, { async: false })))
      .join(''),
  );

export const renderInline = (text: string): Markup =>
  new Markup(marked().parseInline(text, { async: false }));

/** Search words for a chapter, below its heading. */
const otherWords = /^<!-- also: (.*) -->\n/gm;

/** Removes the search words. */
export const withoutOtherWords = (text: string): string => text.replaceAll(otherWords, '');

/** The words of a Markdown text, without its code blocks. */
export const wordsOf = (text: string): string =>
  text
    .replaceAll(/^```.*?^```$|\{\{[^}]*\}\}|^[- |]+$|[`*|]/gms, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\baik_\w{20,}|\s+/g, ' ')
    .trim();

/** Splits a text at its second-level headings: what comes before the first, and the chapters. */
export const readChapters = (text: string, blocks?: Blocks) => {
  const [introduction = '', ...parts] = text.split(/^## /m);
  const chapters = parts.map((part): Chapter => {
    const [title = '', ...lines] = part.split('\n');
    const [words] = lines.join('\n').matchAll(otherWords);
    const content = withoutOtherWords(lines.join('\n'));
    return {
      id: slug(title),
      title: title.trim(),
      words: words?.[1],
      body: renderMarkdown(content, blocks),
      text: wordsOf(content),
    };
  });
  return { introduction: renderMarkdown(introduction, blocks), chapters };
};
