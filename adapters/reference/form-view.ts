import type { Form } from '../forms/form.ts';
import { type Contract, openApiPath } from '../openapi/document.ts';
import { html, type Markup } from '../text/html.ts';
import { errorsView } from './errors-view.ts';
import { type Chapter, renderInline, renderMarkdown } from './markdown.ts';
import { operationView, tagView, type ViewContext } from './operation-view.ts';
import { headersIn, membersOf, operationsOf } from './read-contract.ts';
import { memberTable, valueView } from './schema-view.ts';
import { startView } from './start-view.ts';

/** A form as the reference shows it. */
export interface FormReference extends ViewContext {
  readonly declaration: Form;
  readonly contract: Contract;
  /** The path of the contract. */
  readonly contractPath: string;
  readonly chapters: readonly Chapter[];
  /** The chapters as Markdown. */
  readonly markdown: string;
  readonly supportContact: string | undefined;
}

const link = (form: string, id: string, text: string): Markup => html`<li><a href="#${form}-${id}">${text}</a></li>`;

/** Links to the pages of all forms. */
const switchView = (shown: string, forms: readonly FormReference[]): Markup =>
  html`<nav class="switch" aria-label="Form">${forms.map(
    ({ form }) => html`<a href="#${form}"${form === shown && html` aria-current="true"`}>${form} form</a>`,
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

const headersView = ({ form, contract }: FormReference): Markup =>
  html`<section id="${form}-headers" data-find="Response headers" data-kind="details"><h2><a href="#${form}-headers">Response headers</a></h2>
<div class="table" tabindex="0"><table><thead><tr><th>Header</th><th>Meaning</th><th>With</th></tr></thead><tbody>${headersIn(
    contract,
  ).map(
    ({ name, description, example, statuses }) =>
      html`<tr id="${form}-header-${name}" data-find="${name}" data-kind="response header"><td><a href="#${form}-header-${name}"><code class="name">${name}</code></a></td>
<td>${renderInline(description)} <span class="limits"><span>for example <code>${example}</code></span></span></td>
<td class="statuses">${statuses.join(' ')}</td></tr>`,
  )}</tbody></table></div></section>`;

const objectsView = ({ form, contract }: FormReference): Markup =>
  html`<section id="${form}-objects" data-find="Objects" data-kind="details"><h2><a href="#${form}-objects">Objects</a></h2>${Object.entries(
    contract.components?.schemas ?? {},
  ).map(
    ([name, schema]) =>
      html`<section class="object" id="${form}-${name}" data-find="${name}" data-kind="object"><h3><a href="#${form}-${name}">${name}</a></h3>
${'description' in schema && schema.description !== undefined && html`<p>${renderInline(schema.description)}</p>`}${membersOf(schema).length > 0 ? memberTable(schema, form, name) : valueView(schema)}</section>`,
  )}</section>`;

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

/** One form's reference, with a table of contents at the side. */
export const formView = (reference: FormReference, forms: readonly FormReference[]): Markup => {
  const { form, contract, chapters } = reference;
  const contents = contentsView(reference);
  return html`<div class="form" id="${form}">
<aside><p class="brand"><a href="#${form}">Artist Intelligence API</a></p>${switchView(form, forms)}
${searchView(form)}<div class="wide">${contents}</div><details class="narrow"><summary>Contents</summary>${contents}</details></aside>
<main>
<header><h1>Artist Intelligence API <span class="form-name">${form} form</span></h1>${renderMarkdown(contract.info.description ?? '')}${startView(reference)}</header>
${chapters.map(({ id, title, body }) => html`<section class="chapter" id="${form}-${id}" data-find="${title}" data-kind="chapter"><h2><a href="#${form}-${id}">${title}</a></h2>${body}</section>`)}
${operationsView(reference)}
${errorsView(form, forms)}
${headersView(reference)}
${objectsView(reference)}
</main></div>`;
};
