import type { RendererObject } from 'marked';
import { escapeHtml, type Fragment, html, Markup } from './html.ts';

/** A table that scrolls sideways if the column is too narrow. */
export const htmlTable = (heads: readonly Fragment[], rows: Fragment): Markup =>
  html`<div class="table" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;

/** Renders Markdown without HTML and without images, which would come from another host. */
export const safeRenderer: RendererObject = {
  html: ({ text }) => escapeHtml(text),
  image: ({ text }) => escapeHtml(text),
  table({ header, rows }) {
    const cell = ({ tokens }: (typeof header)[number]): Markup =>
      new Markup(this.parser.parseInline(tokens));
    // Narrow screens show a row as a list, each cell with the title of its column.
    const row = (cells: typeof header): Markup =>
      html`<tr>${cells.map((each, column) => html`<td data-label="${header[column]?.text ?? ''}">${cell(each)}</td>`)}</tr>`;
    return htmlTable(header.map(cell), rows.map(row)).text;
  },
};
