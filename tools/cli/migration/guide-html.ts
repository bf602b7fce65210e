import { Marked, type RendererObject } from 'marked';
import { escapeHtml, type Fragment, html, Markup } from '../../../adapters/text/html.ts';
import { documentHead } from '../../../adapters/text/html-document.ts';

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

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }
.table { margin: 1rem 0; overflow-x: auto } table { border-collapse: collapse; width: 100% } th, td { border: 1px solid #8888; padding: 4px 8px; text-align: left; vertical-align: top }
code, pre { font: 14px ui-monospace, monospace } pre { white-space: pre-wrap }
:root { color-scheme: light dark; background: light-dark(#ffffff, #12151c); color: light-dark(#1c2130, #e4e7ee) } a { color: light-dark(#3451c7, #8ea6ff) }
@media (width < 60rem) { table, tbody, tr, td { display: block } thead { display: none } tr { margin-bottom: 1rem }
td code { overflow-wrap: anywhere } td::before { content: attr(data-label); display: block; font-size: 14px; font-weight: 600 } }`;

/** The guide as one HTML page that loads nothing. */
export const guideHtml = (markdown: string, title: string): string => {
  const body = new Marked({ renderer: safeRenderer }).parse(markdown, { async: false });
  const page = html`<html lang="en"><head>${documentHead(title)}
<style>${new Markup(style)}</style></head>
<body><main>${new Markup(body)}</main></body></html>`;
  return `<!doctype html>\n${page.text}\n`;
};
