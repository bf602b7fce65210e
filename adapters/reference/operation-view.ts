import type { RouteContract } from '../forms/form-contract.ts';
import { type RecordedExample, recordedExample } from '../openapi/recorded-examples.ts';
import { html, type Markup } from '../text/html.ts';
import { clientTabs, curl } from './client-code.ts';
import { anchor, codeBlock, table } from './elements.ts';
import type { FormReference } from './form-reference.ts';
import { formatJson } from './highlight.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import type { Operation, OperationResponse } from './read-contract.ts';
import { parameterTable } from './schema-view.ts';

const statusClass = (status: number | string): string => (Number(status) < 400 ? 'status good' : 'status bad');

const responseRow = (
  { status, description, headers, schemas }: OperationResponse,
  form: string,
  { id, path }: Operation,
): Markup =>
  html`<tr${anchor(`${form}-${id}-${status}`, status, `status of ${path}`)}><td><a href="#${form}-${id}-${status}" class="${statusClass(status)}">${status}</a></td>
<td>${renderMarkdown(description)}<details class="headers"><summary>${headers.length} headers</summary><ul>${headers.map(
    (name) => html`<li><a href="#${form}-header-${name}"><code>${name}</code></a></li>`,
  )}</ul></details></td>
<td class="type">${schemas.length === 0 ? 'no body' : schemas.map((name, index) => html`${index > 0 && ' or '}<a href="#${form}-${name}">${name}</a>`)}</td></tr>`;

const exampleView = (exchange: RecordedExample, summary: string, isOpen: boolean): Markup => {
  const { request, status, headers, body } = exchange;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return html`<details class="example"${isOpen && html` open`}><summary><span class="${statusClass(status)}">${status}</span>${summary}</summary>
<p class="asked"><code>GET ${request.path}</code></p>
<details class="sent"><summary>${lines.length} headers</summary>${codeBlock(lines.join('\n'), '')}</details>
${body !== null && codeBlock(formatJson(body, 50), 'json')}</details>`;
};

/** One endpoint: description, parameters and responses, beside a command and recorded answers. */
export const operationView = (operation: Operation, contract: RouteContract, reference: FormReference): Markup => {
  const { form, baseUrl, recorded, clients } = reference;
  const { id, path, summary, description, parameters, responses, needsKey } = operation;
  const examples = Object.entries(contract.examples).map(([name, text]) => ({
    exchange: recordedExample(recorded, name),
    text,
  }));
  const asked = examples[0]?.exchange.request.path;
  return html`<section class="operation"${anchor(`${form}-${id}`, `GET ${path}`, summary)}>
<h3><a href="#${form}-${id}">${summary}</a></h3>
<p class="route"><span class="method">GET</span><code>${path}</code>${!needsKey && html`<span class="aside">no key needed</span>`}</p>
<div class="columns"><div>
${renderMarkdown(description)}
${parameters.length > 0 && [html`<h4>Parameters</h4>`, parameterTable(parameters, form, `${form}-${id}`, path)]}
<h4>Responses</h4>
${table(
  ['Status', 'Meaning', 'Body'],
  responses.map((response) => responseRow(response, form, operation)),
)}
</div><div class="samples">
<h4>Ask</h4>
${asked !== undefined && clientTabs(clients.request(asked, curl(asked, needsKey, baseUrl)))}
<h4>Recorded answers</h4>
${examples.map(({ exchange, text }, index) => exampleView(exchange, text, index === 0))}
</div></div></section>`;
};

export const tagView = (name: string, description: string | undefined, operations: readonly Markup[]): Markup =>
  html`<h2>${name}</h2>${description !== undefined && html`<p class="lead">${renderInline(description)}</p>`}${operations}`;
