import { type Fragment, html, type Markup } from '../text/html.ts';
import { clientTabs, curl } from './client-code.ts';
import {
  type ContractTable,
  errorTable,
  examplesOf,
  headerTable,
  objectsIn,
  parameterTable,
  responseTable,
} from './contract-tables.ts';
import { anchor, codeBlock, copyButton, table } from './elements.ts';
import type { FormReference } from './form-reference.ts';
import { contentsLink, partView, sectionView, switchView } from './frame.ts';
import { formatJson } from './highlight.ts';
import { type Chapter, renderInline, renderMarkdown } from './markdown.ts';
import { type Operation, tagsOf } from './read-contract.ts';

type Row = ContractTable['rows'][number];

const cellView = (cell: Row['cells'][number]): Markup =>
  typeof cell === 'string'
    ? renderMarkdown(cell)
    : html`<details class="names"><summary>${cell.length} names</summary><ul>${cell.map((name) => html`<li>${renderInline(name)}</li>`)}</ul></details>`;

/**
 * A table whose rows search finds. The name in its first column is a link to the row itself. Narrow
 * screens show a row as a list.
 */
const tableView = ({ titles, kind, rows }: ContractTable): Markup =>
  table(
    titles,
    rows.map(
      ({ id, name, aside, cells }) =>
        html`<tr${anchor(id, name, kind)}><td data-label=""><a href="#${id}"><code class="name">${name}</code></a>${
          aside !== undefined && html`<span class="aside">${aside}</span>`
        }</td>${cells.map((cell, index) => html`<td data-label="${titles[index + 1]}">${cellView(cell)}</td>`)}</tr>`,
    ),
  );

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
const operationView = (operation: Operation, reference: FormReference): Markup => {
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

const objectViews = (reference: FormReference): readonly Markup[] =>
  objectsIn(reference).map(
    ({ id, name, description, values, members }) =>
      html`<section class="object"${anchor(id, name, 'object')}><h3><a href="#${id}">${name}</a></h3>
${renderMarkdown(`${description}\n\n${values}`)}${members.rows.length > 0 && tableView(members)}</section>`,
  );

/** What follows the endpoints. */
const detailsOf = (reference: FormReference): readonly Chapter[] => [
  { id: `${reference.form}-errors`, title: 'Error codes', body: tableView(errorTable(reference)) },
  {
    id: `${reference.form}-headers`,
    title: 'Response headers',
    body: tableView(headerTable(reference)),
  },
  { id: `${reference.form}-objects`, title: 'Objects', body: html`${objectViews(reference)}` },
];

const contentsView = (
  { form, contract, contractPath, chapters }: FormReference,
  details: readonly Chapter[],
): Markup => {
  const links = (sections: readonly Chapter[]) =>
    sections.map(({ id, title }) => contentsLink(id, title));
  return html`<h2>Getting started</h2><ul>${links(chapters)}</ul>
${tagsOf(contract).map(
  ({ name, operations }) =>
    html`<h2>${name}</h2><ul>${operations.map(({ id, path }) =>
      contentsLink(`${form}-${id}`, html`<code>${path.replace('/api/v1', '')}</code>`),
    )}</ul>`,
)}
<h2>Details</h2><ul>${links(details)}
<li><a href="${contractPath}">OpenAPI document</a></li></ul>`;
};

/** A link to partner support: an address or a page. */
const contactLink = (contact: string): Markup =>
  /^https?:/.test(contact)
    ? html`<a href="${contact}" rel="noreferrer">${contact}</a>`
    : html`<a href="mailto:${contact}">${contact}</a>`;

/** A row of the introduction, which search finds by other words too. */
const startRow = (form: string, title: string, words: string, content: Fragment): Markup =>
  html`<div${anchor(`${form}-${title.split(' ')[0]?.toLowerCase()}`, title, 'introduction', words)}><dt>${title}</dt><dd>${content}</dd></div>`;

/** What a partner needs first: the base address, the contract, other pages, and whom to ask. */
const startView = ({ form, baseUrl, contractPath, supportContact }: FormReference): Markup => {
  const openApi = html`<a href="${contractPath}">OpenAPI 3.1, <code>${baseUrl}${contractPath}</code></a>
<p>Postman: Import, paste the address. Insomnia: Import, From URL. Bruno: Import Collection, OpenAPI. Optional parameters come with examples; leave them off.</p>`;
  const pages = html`<a href="/docs/changes">Changes of the contracts</a>, <a href="/docs/migration">how the forms compare</a>, <a href="/docs.md">this page as Markdown</a>`;
  return html`<dl class="start">
${startRow(form, 'Base address', 'base url, server, host, domain, endpoint, https', html`<span class="copied">${copyButton}<code>${baseUrl}</code></span>`)}
${startRow(form, 'Contract', 'openapi, swagger, yaml, json, specification, schema, import, code generator, postman, insomnia, bruno', openApi)}
${startRow(form, 'More pages', 'changelog, release notes, versions, new features, breaking changes, rss, atom, feed, migration guide, comparison, markdown, llms.txt, assistant', pages)}
${supportContact !== undefined && startRow(form, 'Support', 'help, contact, email, ask, question, report a bug', contactLink(supportContact))}
</dl>`;
};

/**
 * One form's reference. It begins with an answer; all but the first sentence about the form comes
 * after.
 */
export const formView = (reference: FormReference, forms: readonly string[]): Markup => {
  const { form, contract, chapters, introduction } = reference;
  const details = detailsOf(reference);
  const [lead = '', ...about] = (contract.info.description ?? '').split('\n\n');
  const content = html`<header${anchor(`${form}-introduction`, 'Introduction', 'introduction', 'overview, gzip, compression, compressed, null, unknown values, new members, browser')}><h1>Artist Intelligence API <span class="form-name">${form} form</span></h1>
${renderMarkdown(lead)}<div class="first">${switchView('Form of the answer', form, forms)}${introduction}</div>${renderMarkdown(about.join('\n\n'))}${startView(reference)}</header>
${chapters.map((chapter) => sectionView(chapter, 'chapter'))}
${tagsOf(contract).map(
  ({ name, description, operations }) =>
    html`<h2>${name}</h2><p class="lead">${renderInline(description)}</p>${operations.map((operation) => operationView(operation, reference))}`,
)}
${details.map((section) => sectionView(section, 'details'))}`;
  return partView(form, contentsView(reference, details), content, forms);
};
