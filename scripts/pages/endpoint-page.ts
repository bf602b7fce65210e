import { type Fragment, html, type Markup } from '../../adapters/text/html.ts';
import { markdownTable } from '../../adapters/text/markdown.ts';
import { oneLine } from '../../adapters/text/plain-text.ts';
import { htmlTable } from '../../adapters/text/safe-renderer.ts';
import { programMarkdown, programTabs } from './client-code.ts';
import { codeBlock, formatJson } from './code-blocks.ts';
import {
  type ContractTable,
  examplesOf,
  type objectsIn,
  objectsOf,
  parameterTable,
  responseTable,
} from './contract-tables.ts';
import type { FormReference } from './form-reference.ts';
import type { Entry, ReferencePage } from './frame.ts';
import { paragraphs, renderInline, renderMarkdown, wordsOf } from './markdown.ts';
import type { Operation } from './read-contract.ts';

type Row = ContractTable['rows'][number];

const cellView = (cell: Row['cells'][number]): Markup =>
  typeof cell === 'string'
    ? renderMarkdown(cell)
    : html`<details class="names"><summary>${cell.length} names</summary><ul>${cell.map((name) => html`<li>${renderInline(name)}</li>`)}</ul></details>`;

/** Names that lead elsewhere are code. */
const withoutLinks = (text: string): string =>
  text.replaceAll(/\[`?([^\]`]+)`?\]\([^)]+\)/g, '`$1`');

interface Part {
  readonly view: Fragment;
  /** Markdown. */
  readonly text: string;
  readonly entries: readonly Entry[];
}

/** A table whose rows have addresses. Narrow screens show a row as a list. */
export const tablePart = ({ titles, kind, rows }: ContractTable, page: string): Part => ({
  view: htmlTable(
    titles,
    rows.map(
      ({ id, name, aside, cells }) =>
        html`<tr id="${id}"><td data-label=""><a href="#${id}"><code class="name">${name}</code></a>${
          aside !== undefined && html`<span class="aside">${aside}</span>`
        }</td>${cells.map((cell, index) => html`<td data-label="${titles[index + 1]}">${cellView(cell)}</td>`)}</tr>`,
    ),
  ),
  text: markdownTable(
    titles,
    rows.map(({ name, aside, cells }) => [
      aside === undefined ? `\`${name}\`` : `\`${name}\`, ${aside}`,
      ...cells.map((cell) => withoutLinks(oneLine([cell].flat().join(' ')))),
    ]),
  ),
  entries: rows.map(({ id, name, cells }) => ({
    url: `${page}#${id}`,
    name,
    kind,
    text: cells.flatMap((cell) => (typeof cell === 'string' ? wordsOf(cell) : [])).join(' '),
  })),
});

/** Objects; those after the first `openCount` are folded. */
export const objectsPart = (
  objects: ReturnType<typeof objectsIn>,
  page: string,
  openCount: number,
): Part => {
  const parts = objects.map(({ name, description, values, members }, index) => {
    const { view, text, entries } = tablePart(members, page);
    const words = wordsOf(`${description} ${values}`);
    return {
      view: html`<details class="object" id="${name}"${index < openCount && html` open`}><summary><h3>${name}</h3></summary>
${renderMarkdown(`${description}\n\n${values}`)}${members.rows.length > 0 && view}</details>`,
      text: paragraphs(`### ${name}`, description, withoutLinks(values), text),
      entries: [{ url: `${page}#${name}`, name, kind: 'object', text: words }, ...entries],
    };
  });
  return {
    view: parts.map(({ view }) => view),
    text: paragraphs(...parts.map(({ text }) => text)),
    entries: parts.flatMap(({ entries }) => entries),
  };
};

const exampleView = (
  { request, status, headers, body, shows }: ReturnType<typeof examplesOf>[number],
  isOpen: boolean,
): Markup => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return html`<details class="example"${isOpen && html` open`}><summary><span class="status ${status < 400 ? 'good' : 'bad'}">${status}</span>${shows}</summary>
<p class="asked"><code>GET ${request.path}</code></p>
<details class="sent"><summary>${lines.length} headers</summary>${codeBlock(lines.join('\n'), '')}</details>
${body !== null && codeBlock(formatJson(body, 50), 'json')}</details>`;
};

export const endpointPage = (operation: Operation, reference: FormReference): ReferencePage => {
  const { path, summary, description, parameters, needsKey } = operation;
  const page = reference.pathOf(operation);
  const examples = examplesOf(operation, reference);
  const asked = examples[0]?.request.path;
  const programs = asked === undefined ? [] : reference.programsFor(operation, asked);
  const parameterRows = tablePart(parameterTable(operation, reference), page);
  const responseRows = tablePart(responseTable(operation, reference), page);
  const objects = objectsPart(objectsOf(operation, reference), page, 2);
  const answer = examples.find(({ status }) => status === 200);
  const body = html`<header><h1>${summary}</h1>
<p class="route"><span class="method">GET</span><code>${path}</code><span class="form-name">${reference.form} form</span>${!needsKey && html`<span class="aside">no key needed</span>`}</p></header>
<div class="columns"><div>${renderMarkdown(description)}
${parameters.length > 0 && html`<h2>Parameters</h2>${parameterRows.view}`}
<h2>Responses</h2>${responseRows.view}
<h2>Fields</h2>${objects.view}</div>
<div class="samples"><h2>Request</h2>${programs.length > 0 && programTabs(programs)}
<h2>Recorded responses</h2>${examples.map((example, index) => exampleView(example, index === 0))}</div></div>`;
  return {
    path: page,
    title: `GET ${path}, ${reference.form} form`,
    body,
    sections: [],
    markdown: paragraphs(
      `# GET ${path}, ${reference.form} form`,
      `${summary}. ${description}`,
      programs.length === 0 ? '' : programMarkdown(programs),
      parameterRows.text,
      responseRows.text,
      objects.text,
      answer === undefined
        ? ''
        : `\`GET ${answer.request.path}\` returned 200:\n\n\`\`\`json\n${formatJson(answer.body, 120)}\n\`\`\``,
    ),
    entries: [
      { url: page, name: `GET ${path}`, kind: summary, text: wordsOf(description) },
      ...parameterRows.entries,
      ...objects.entries,
    ],
  };
};
