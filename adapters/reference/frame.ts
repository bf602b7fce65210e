import { type Fragment, html, type Markup } from '../text/html.ts';
import { anchor } from './elements.ts';
import type { Chapter } from './markdown.ts';

/** Links to the parts of all pages. A form is chosen on the page of all forms. */
export const switchView = (label: string, shown: string, forms: readonly string[]): Markup => {
  const page = forms.includes(shown) ? '' : '/docs';
  const current = (id: string) => id === shown && html` aria-current="true"`;
  return html`<nav class="switch" aria-label="${label}">${forms.map(
    (form) => html`<a href="${page}#${form}" data-form="${form}"${current(form)}>${form} form</a>`,
  )}<a href="/docs/migration"${current('migration')}>compared</a><a href="/docs/changes"${current('changes')}>changes</a></nav>`;
};

/**
 * A part of a page that fills the window, a form of the reference or another document, with the
 * head that all have: links to the parts of all pages, a search box that the page's script makes
 * visible, and contents at the side.
 */
export const partView = (
  id: string,
  contents: Fragment,
  content: Fragment,
  forms: readonly string[],
): Markup => {
  const side = html`${switchView('Pages', id, forms)}<nav class="contents" aria-label="Contents">${contents}</nav>`;
  const subject = forms.includes(id) ? `the ${id} form` : 'this page';
  return html`<div class="form" id="${id}">
<aside><p class="brand"><a href="/docs">Artist Intelligence API</a></p>
<search class="search" hidden><input type="search" id="${id}-search" aria-label="Search ${subject}" placeholder="Search  /" autocomplete="off" spellcheck="false">
<p class="count" role="status"></p><ul class="found"></ul></search>
<div class="wide">${side}</div><details class="narrow"><summary>Contents</summary><div>${side}</div></details></aside>
<main>${content}</main></div>`;
};

export const contentsLink = (id: string, text: Fragment): Markup =>
  html`<li><a href="#${id}">${text}</a></li>`;

/** A section that search finds. Its title is a link to the section itself. */
export const sectionView = (
  { id, title, words, body }: Chapter,
  kind: 'chapter' | 'details',
): Markup =>
  html`<section class="${kind}"${anchor(id, title, kind, words)}><h2><a href="#${id}">${title}</a></h2>${body}</section>`;
