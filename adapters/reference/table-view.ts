import { html, type Markup } from '../text/html.ts';
import type { ContractTable } from './contract-tables.ts';
import { anchor, table } from './elements.ts';
import { renderInline, renderMarkdown } from './markdown.ts';

type Row = ContractTable['rows'][number];

const cellView = (cell: Row['cells'][number]): Markup =>
  typeof cell === 'string'
    ? renderMarkdown(cell)
    : html`<details class="names"><summary>${cell.length} names</summary><ul>${cell.map((name) => html`<li>${renderInline(name)}</li>`)}</ul></details>`;

/**
 * A table whose rows search finds. The name in its first column is a link to the row itself. Narrow
 * screens show a row as a list.
 */
export const tableView = ({ titles, kind, rows }: ContractTable): Markup =>
  table(
    titles,
    rows.map(
      ({ id, name, aside, cells }) =>
        html`<tr${anchor(id, name, kind)}><td data-label=""><a href="#${id}"><code class="name">${name}</code></a>${
          aside !== undefined && html`<span class="aside">${aside}</span>`
        }</td>${cells.map((cell, index) => html`<td data-label="${titles[index + 1]}">${cellView(cell)}</td>`)}</tr>`,
    ),
  );
