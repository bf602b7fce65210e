import { openApiPath } from '../openapi/document.ts';
import { type Fragment, html, type Markup } from '../text/html.ts';
import { anchor, copyButton, namedRow, namedSection, table } from './elements.ts';
import { errorsView } from './errors-view.ts';
import type { FormReference } from './form-reference.ts';
import { chapterView, contentsLink, partView, switchView } from './frame.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import { operationView, tagView } from './operation-view.ts';
import { postmanPath } from './paths.ts';
import { headersIn, operationsOf, schemaMembers } from './read-contract.ts';
import { memberTable, valueView } from './schema-view.ts';

const contentsView = (reference: FormReference): Markup => {
  const { form, contract, contractPath, chapters } = reference;
  const operations = operationsOf(contract);
  return html`<h2>Getting started</h2><ul>${chapters.map(({ id, title }) => contentsLink(id, title))}</ul>
${(contract.tags ?? []).map(
  ({ name }) =>
    html`<h2>${name}</h2><ul>${operations
      .filter(({ tag }) => tag === name)
      .map(({ id, path }) => contentsLink(`${form}-${id}`, html`<code>${path.replace('/api/v1', '')}</code>`))}</ul>`,
)}
<h2>Details</h2><ul>${contentsLink(`${form}-errors`, 'Error codes')}${contentsLink(`${form}-headers`, 'Response headers')}${contentsLink(`${form}-objects`, 'Objects')}
<li><a href="${contractPath}">OpenAPI document</a></li></ul>`;
};

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
${description !== undefined && html`<p>${renderInline(description)}</p>`}${schemaMembers(schema).length > 0 ? memberTable(schema, form, name) : valueView(schema)}</section>`;
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

/** One form's reference. It begins with an answer; all but the first sentence about the form comes after. */
export const formView = (reference: FormReference, references: readonly FormReference[]): Markup => {
  const { form, contract, chapters, introduction } = reference;
  const forms = references.map((each) => each.form);
  const [lead = '', ...about] = (contract.info.description ?? '').split('\n\n');
  const content = html`<header${anchor(`${form}-introduction`, 'Introduction', 'introduction', 'overview, gzip, compression, compressed, null, unknown values, new members, browser')}><h1>Artist Intelligence API <span class="form-name">${form} form</span></h1>
${renderMarkdown(lead)}<div class="first">${switchView('Form of the answer', form, forms)}${introduction}</div>${renderMarkdown(about.join('\n\n'))}${startView(reference)}</header>
${chapters.map(chapterView)}
${operationsView(reference)}
${errorsView(form, references)}
${headersView(reference)}
${objectsView(reference)}`;
  return partView(form, contentsView(reference), content, forms);
};
