import { Marked } from 'marked';
import { escapeHtml, html, Markup } from '../text/html.ts';
import { type ClientCode, clientTabs } from './client-code.ts';
import { codeBlock, table } from './elements.ts';

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
      table({ header, rows }) {
        const cell = ({ tokens }: (typeof header)[number]): Markup => new Markup(this.parser.parseInline(tokens));
        const row = (cells: typeof header): Markup =>
          html`<tr>${cells.map((each) => html`<td>${cell(each)}</td>`)}</tr>`;
        return table(header.map(cell), rows.map(row)).text;
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
