import { Marked } from 'marked';
import { codeBlock } from './code.ts';
import { escapeHtml, Markup } from './html.ts';

/** A part of a Markdown text under a second-level heading. */
export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

/** A heading's text as the fragment of a link. */
export const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** Markdown without HTML and without images, which would come from another host. */
const marked = () =>
  new Marked({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      code: ({ text, lang }) => codeBlock(text, lang ?? '').text,
      table(token) {
        const row = (cells: typeof token.header, tag: string): string =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const rows = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="table"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>`;
      },
    },
  });

export const renderMarkdown = (text: string): Markup => new Markup(marked().parse(text, { async: false }));

export const renderInline = (text: string): Markup => new Markup(marked().parseInline(text, { async: false }));

/** Splits a text into its chapters. Leaves out what comes before the first. */
export const chaptersOf = (text: string): readonly Chapter[] =>
  text
    .split(/^## /m)
    .slice(1)
    .map((chapter) => {
      const [title = '', ...lines] = chapter.split('\n');
      return { id: slug(title), title: title.trim(), body: renderMarkdown(lines.join('\n')) };
    });
