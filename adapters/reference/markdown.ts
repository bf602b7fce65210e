import { Marked } from 'marked';
import { escapeHtml, Markup } from '../text/html.ts';
import { type ClientCode, clientTabs } from './client-code.ts';
import { codeBlock } from './code.ts';

/** A part of a Markdown text under a second-level heading. */
export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

/** A heading's text as the fragment of a link. */
const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

const noClients: ClientCode = (region) => {
  throw new Error(`No clients have a region ${region} here.`);
};

/** Markdown without HTML and without images, which would come from another host. */
const marked = (clients: ClientCode = noClients) =>
  new Marked({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      code: ({ text, lang }) => (lang === 'client' ? clientTabs(clients(text)) : codeBlock(text, lang ?? '')).text,
      table(token) {
        const row = (cells: typeof token.header, tag: string): string =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const rows = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>`;
      },
    },
  });

/** Renders a text; a block `client` names a part of the example clients, which it shows in every language. */
export const renderMarkdown = (text: string, clients?: ClientCode): Markup =>
  new Markup(marked(clients).parse(text, { async: false }));

export const renderInline = (text: string): Markup => new Markup(marked().parseInline(text, { async: false }));

/** Splits a text into its chapters. Leaves out what comes before the first. */
export const chaptersOf = (text: string, clients?: ClientCode): readonly Chapter[] =>
  text
    .split(/^## /m)
    .slice(1)
    .map((chapter) => {
      const [title = '', ...lines] = chapter.split('\n');
      return { id: slug(title), title: title.trim(), body: renderMarkdown(lines.join('\n'), clients) };
    });
