import { html, type Markup } from '../text/html.ts';
import { clientTabs, curl } from './client-code.ts';
import { examplesOf, parameterTable, responseTable } from './contract-tables.ts';
import { anchor, codeBlock } from './elements.ts';
import type { FormReference } from './form-reference.ts';
import { formatJson } from './highlight.ts';
import { renderMarkdown } from './markdown.ts';
import type { Operation } from './read-contract.ts';
import { tableView } from './table-view.ts';

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

/** One endpoint: description, parameters and responses, beside a command and recorded answers. */
export const operationView = (operation: Operation, reference: FormReference): Markup => {
  const { form, baseUrl, clients } = reference;
  const { id, path, summary, description, parameters, needsKey } = operation;
  const examples = examplesOf(operation, reference);
  const asked = examples[0]?.request.path;
  return html`<section class="operation"${anchor(`${form}-${id}`, `GET ${path}`, summary)}>
<h3><a href="#${form}-${id}">${summary}</a></h3>
<p class="route"><span class="method">GET</span><code>${path}</code>${!needsKey && html`<span class="aside">no key needed</span>`}</p>
<div class="columns"><div>
${renderMarkdown(description)}
${parameters.length > 0 && [html`<h4>Parameters</h4>`, tableView(parameterTable(operation, form))]}
<h4>Responses</h4>
${tableView(responseTable(operation, form))}
</div><div class="samples">
<h4>Ask</h4>
${asked !== undefined && clientTabs(clients.request(asked, curl(asked, needsKey, baseUrl)))}
<h4>Recorded answers</h4>
${examples.map((example, index) => exampleView(example, index === 0))}
</div></div></section>`;
};
