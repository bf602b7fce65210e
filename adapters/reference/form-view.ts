import type { Form } from '../forms/form.ts';
import { type Contract, openApiPath } from '../openapi/document.ts';
import { html, type Markup } from './html.ts';
import { type Chapter, renderInline, renderMarkdown } from './markdown.ts';
import { operationView, tagView, type ViewContext } from './operation-view.ts';
import { headersIn, operationsOf } from './read-contract.ts';
import { memberTable } from './schema-view.ts';

/** A form as the reference shows it. */
export interface FormReference extends ViewContext {
  readonly declaration: Form;
  readonly contract: Contract;
  /** The path of the contract. */
  readonly contractPath: string;
  readonly chapters: readonly Chapter[];
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
<h2>Details</h2><ul>${link(form, 'headers', 'Response headers')}${link(form, 'objects', 'Objects')}
<li><a href="${contractPath}">OpenAPI document</a></li><li><a href="/docs/migration">How the forms compare</a></li></ul></nav>`;
};

const headersView = ({ form, contract }: FormReference): Markup =>
  html`<section id="${form}-headers"><h2>Response headers</h2>
<div class="table"><table><thead><tr><th>Header</th><th></th><th>With</th></tr></thead><tbody>${headersIn(contract).map(
    ({ name, description, example, statuses }) =>
      html`<tr><td><code class="name">${name}</code></td>
<td>${renderInline(description)} <span class="limits"><span>for example <code>${example}</code></span></span></td>
<td class="statuses">${statuses.join(' ')}</td></tr>`,
  )}</tbody></table></div></section>`;

const objectsView = ({ form, contract }: FormReference): Markup =>
  html`<section id="${form}-objects"><h2>Objects</h2>${Object.entries(contract.components?.schemas ?? {}).map(
    ([name, schema]) =>
      html`<section class="object" id="${form}-${name}"><h3><a href="#${form}-${name}">${name}</a></h3>
${'description' in schema && schema.description !== undefined && html`<p>${renderInline(schema.description)}</p>`}${memberTable(schema, form)}</section>`,
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
<div class="wide">${contents}</div><details class="narrow"><summary>Contents</summary>${contents}</details></aside>
<main>
<header><h1>Artist Intelligence API <span class="form-name">${form} form</span></h1>${renderMarkdown(contract.info.description ?? '')}</header>
${chapters.map(({ id, title, body }) => html`<section class="chapter" id="${form}-${id}"><h2><a href="#${form}-${id}">${title}</a></h2>${body}</section>`)}
${operationsView(reference)}
${headersView(reference)}
${objectsView(reference)}
</main></div>`;
};
