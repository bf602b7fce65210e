import { type Fragment, html, type Markup } from '../text/html.ts';
import { errorTable, headerTable, objectsIn } from './contract-tables.ts';
import { anchor, copyButton } from './elements.ts';
import type { FormReference } from './form-reference.ts';
import { contentsLink, partView, sectionView, switchView } from './frame.ts';
import { type Chapter, renderInline, renderMarkdown } from './markdown.ts';
import { operationView } from './operation-view.ts';
import { tagsOf } from './read-contract.ts';
import { tableView } from './table-view.ts';

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
