import { openApiPath } from '../openapi/document.ts';
import { type Fragment, html, type Markup } from '../text/html.ts';
import { anchor, copyButton, namedRow, namedSection, table } from './elements.ts';
import { errorsView } from './errors-view.ts';
import type { FormReference } from './form-reference.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import { operationView, tagView } from './operation-view.ts';
import { postmanPath } from './paths.ts';
import { headersIn, membersOf, operationsOf } from './read-contract.ts';
import { memberTable, valueView } from './schema-view.ts';

const link = (form: string, id: string, text: string): Markup => html`<li><a href="#${form}-${id}">${text}</a></li>`;

/** Links to the pages of all forms. */
const switchView = (shown: string, forms: readonly FormReference[]): Markup =>
  html`<nav class="switch" aria-label="Form">${forms.map(
    ({ form }) =>
      html`<a href="#${form}" data-form="${form}"${form === shown && html` aria-current="true"`}>${form} form</a>`,
  )}</nav>`;

const contentsView = (reference: FormReference): Markup => {
  const { form, contract, contractPath, chapters } = reference;
  const operations = operationsOf(contract);
  return html`<nav class="contents" aria-label="Contents">
<h2>Getting started</h2><ul>${chapters.map(({ id, title }) => link(form, id, title))}</ul>
${(contract.tags ?? []).map(
  ({ name }) =>
    html`<h2>${name}</h2><ul>${operations
      .filter(({ tag }) => tag === name)
      .map(
        ({ id, path }) => html`<li><a href="#${form}-${id}"><code>${path.replace('/api/v1', '')}</code></a></li>`,
      )}</ul>`,
)}
<h2>Details</h2><ul>${link(form, 'errors', 'Error codes')}${link(form, 'headers', 'Response headers')}${link(form, 'objects', 'Objects')}
<li><a href="${contractPath}">OpenAPI document</a></li><li><a href="/docs/changes">Changes</a></li><li><a href="/docs/migration">How the forms compare</a></li></ul></nav>`;
};

/** The search box, which the page's script makes visible: it searches the form's part of the page. */
const searchView = (form: string): Markup =>
  html`<search class="search" hidden><input type="search" id="${form}-search" aria-label="Search the ${form} form" placeholder="Search  /" autocomplete="off" spellcheck="false">
<p class="count" role="status"></p><ul class="found"></ul></search>`;

const headersView = ({ form, contract }: FormReference): Markup => {
  const rows = headersIn(contract).map(({ name, description, example, statuses }) => {
    const cells = html`<td>${renderInline(description)} <span class="limits"><span>for example <code>${example}</code></span></span></td><td class="statuses">${statuses.join(' ')}</td>`;
    return namedRow(`${form}-header-${name}`, name, 'response header', undefined, cells);
  });
  return namedSection(`${form}-headers`, 'Response headers', 'details', table(['Header', 'Meaning', 'With'], rows));
};

const objectsView = ({ form, contract }: FormReference): Markup => {
  const objects = Object.entries(contract.components?.schemas ?? {}).map(([name, schema]) => {
    const description = 'description' in schema ? schema.description : undefined;
    return html`<section class="object"${anchor(`${form}-${name}`, name, 'object')}><h3><a href="#${form}-${name}">${name}</a></h3>
${description !== undefined && html`<p>${renderInline(description)}</p>`}${membersOf(schema).length > 0 ? memberTable(schema, form, name) : valueView(schema)}</section>`;
  });
  return namedSection(`${form}-objects`, 'Objects', 'details', objects);
};

const operationsView = (reference: FormReference): readonly Markup[] => {
  const { contract, declaration } = reference;
  return (contract.tags ?? []).map(({ name, description }) =>
    tagView(
      name,
      description,
      operationsOf(contract)
        .filter(({ tag }) => tag === name)
        .flatMap((operation) => {
          const route = declaration.routes.find(({ path }) => openApiPath(path) === operation.path);
          return route === undefined ? [] : [operationView(operation, route.contract, reference)];
        }),
    ),
  );
};

/** A link to partner support: an address or a page. */
const contactLink = (contact: string): Markup =>
  /^https?:/.test(contact)
    ? html`<a href="${contact}" rel="noreferrer">${contact}</a>`
    : html`<a href="mailto:${contact}">${contact}</a>`;

/** A row of the introduction, which search finds by other words too. */
const startRow = (form: string, title: string, words: string, content: Fragment): Markup =>
  html`<div${anchor(`${form}-${title.split(' ')[0]?.toLowerCase()}`, title, 'introduction', words)}><dt>${title}</dt><dd>${content}</dd></div>`;

/** What a partner needs first: the base address, the contract, how to ask from Postman, other pages, and whom to ask. */
const startView = ({ form, declaration, baseUrl, contractPath, supportContact }: FormReference): Markup => {
  const openApi = html`<a href="${contractPath}">OpenAPI 3.1, <code>${baseUrl}${contractPath}</code></a>
<p>Insomnia: Import, From URL. Bruno: Import Collection, OpenAPI. Optional parameters come with examples; leave them off.</p>`;
  const collection = html`<a href="${postmanPath(declaration)}">Collection, <code>${baseUrl}${postmanPath(declaration)}</code></a>
<p>Postman: Import, paste the address, then set the variable <code>bearerToken</code> to your key.</p>`;
  const pages = html`<a href="/docs/changes">Changes of the contracts</a>, <a href="/docs/migration">how the forms compare</a>, <a href="/docs.md">this page as Markdown</a>`;
  return html`<dl class="start">
${startRow(form, 'Base address', 'base url, server, host, domain, endpoint, https', html`<span class="copied">${copyButton}<code>${baseUrl}</code></span>`)}
${startRow(form, 'Contract', 'openapi, swagger, yaml, json, specification, schema, code generator, insomnia, bruno', openApi)}
${startRow(form, 'Postman', 'collection, import, newman', collection)}
${startRow(form, 'More pages', 'changelog, release notes, versions, new features, breaking changes, rss, atom, feed, migration guide, comparison, markdown, llms.txt, assistant', pages)}
${supportContact !== undefined && startRow(form, 'Support', 'help, contact, email, ask, question, report a bug', contactLink(supportContact))}
</dl>`;
};

/** One form's reference, with a table of contents at the side. */
export const formView = (reference: FormReference, forms: readonly FormReference[]): Markup => {
  const { form, contract, chapters } = reference;
  const contents = contentsView(reference);
  return html`<div class="form" id="${form}">
<aside><p class="brand"><a href="#${form}">Artist Intelligence API</a></p>${switchView(form, forms)}
${searchView(form)}<div class="wide">${contents}</div><details class="narrow"><summary>Contents</summary>${contents}</details></aside>
<main>
<header${anchor(`${form}-introduction`, 'Introduction', 'introduction', 'overview, gzip, compression, compressed, null, unknown values, new members, browser')}><h1>Artist Intelligence API <span class="form-name">${form} form</span></h1>${renderMarkdown(contract.info.description ?? '')}${startView(reference)}</header>
${chapters.map(({ id, title, words, body }) => html`<section class="chapter"${anchor(`${form}-${id}`, title, 'chapter', words)}><h2><a href="#${form}-${id}">${title}</a></h2>${body}</section>`)}
${operationsView(reference)}
${errorsView(form, forms)}
${headersView(reference)}
${objectsView(reference)}
</main></div>`;
};
