import { Marked } from 'marked';
import { html, Markup } from '../../adapters/text/html.ts';
import { safeRenderer } from '../../adapters/text/safe-renderer.ts';
import { codeBlock, copyButton } from './code-blocks.ts';

/** What follows a second-level heading. */
export interface Chapter {
  readonly id: string;
  readonly title: string;
  /** Search words that the chapter does not contain. */
  readonly words?: string | undefined;
  readonly body: Markup;
  /** Without markup, for search. */
  readonly text: string;
}

/** A name as code; a dash without a name. */
export const code = (text: string | undefined): string =>
  text === undefined ? '–' : `\`${text}\``;

/** Joins parts that are not empty. */
export const paragraphs = (...parts: readonly string[]): string =>
  `${parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')}\n`;

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** A demo key gets a copy button. */
const keyText = /^aik_\w{20,}$/;

/** Renderers of code blocks by language. */
export type Blocks = Readonly<Record<string, (text: string) => Markup>>;

/** Marked lines of a fence: `{2,5}`. */
const linesOf = (marks: string): ReadonlySet<number> => new Set(marks.match(/\d+/g)?.map(Number));

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

/** Begins or ends a text for some gateways: `{{#sandbox}}`. */
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

const otherWords = /^<!-- also: (.*) -->\n/gm;

export const withoutOtherWords = (text: string): string => text.replaceAll(otherWords, '');

/** The words of a Markdown text, without code blocks. */
export const wordsOf = (text: string): string =>
  text
    .replaceAll(/^```.*?^```$|\{\{[^}]*\}\}|^[- |]+$|[`*|]/gms, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\baik_\w{20,}|\s+/g, ' ')
    .trim();

/** Splits a text at its second-level headings. */
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
