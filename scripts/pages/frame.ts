import { type Fragment, html } from '../../adapters/text/html.ts';
import { documentHead } from '../../adapters/text/html-document.ts';
import type { FormReference } from './form-reference.ts';

export interface ReferencePage {
  readonly path: string;
  readonly title: string;
  readonly body: Fragment;
  /** Listed in the contents. */
  readonly sections: readonly { readonly id: string; readonly title: string }[];
  readonly markdown: string;
  readonly entries: readonly Entry[];
}

/** A search result. */
export interface Entry {
  /** `/docs/errors#not_found` */
  readonly url: string;
  readonly name: string;
  readonly kind: string;
  readonly text: string;
  readonly words?: string | undefined;
}

type Link = readonly [path: string, text: Fragment];

export const siteLinks = (
  references: readonly FormReference[],
): readonly (readonly [title: string, links: readonly Link[]])[] => [
  ...references.map((reference) => {
    const { form, home, isFirst, operations, pathOf } = reference;
    const endpoints = operations.map(
      (each): Link => [pathOf(each), html`<code>${each.path.replace('/api/v1', '')}</code>`],
    );
    const chapters: readonly Link[] = isFirst
      ? [
          [home, 'First call'],
          ['/docs/guides', 'Guides'],
          ...endpoints,
          ['/docs/errors', 'Errors and headers'],
          ['/docs/tools', 'Clients and tools'],
        ]
      : [[home, 'Guide'], ...endpoints];
    const title = `${form[0]?.toUpperCase()}${form.slice(1)} form`;
    const links: readonly Link[] = [...chapters, [reference.contractPath, 'OpenAPI document']];
    return [title, links] as const;
  }),
  [
    'Both forms',
    [
      ['/docs/migration', 'Migration guide'],
      ['/docs/changes', 'Changes'],
    ],
  ],
];

/** Renders a page. Its script makes the search box visible. */
export const renderReferencePage = (
  { path, title, body, sections }: ReferencePage,
  groups: ReturnType<typeof siteLinks>,
): string => {
  const here = html`<ul class="here">${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
  const contents = html`<nav class="contents" aria-label="Contents">${groups.map(
    ([name, links]) =>
      html`<h2>${name}</h2><ul>${links.map(
        ([link, text]) =>
          html`<li><a href="${link}"${link === path && html` aria-current="page"`}>${text}</a>${link === path && sections.length > 0 && here}</li>`,
      )}</ul>`,
  )}</nav>`;
  return `<!doctype html>\n${
    html`<html lang="en"><head>${documentHead(title)}
<link rel="stylesheet" href="/docs/style.css"><script src="/docs/page.js" defer></script><script src="/docs/search.js" defer></script></head>
<body><div class="page"><aside><p class="brand"><a href="/docs">Artist Intelligence API</a></p>
<search class="search" hidden><input type="search" aria-label="Search all pages" placeholder="Search  /" autocomplete="off" spellcheck="false">
<p class="count" role="status"></p><ul class="found"></ul></search>
<div class="wide">${contents}</div><details class="narrow"><summary>Contents</summary><div>${contents}</div></details></aside>
<main>${body}<footer><a href="${path}.md">This page as Markdown</a>{{#support}}<span>Questions: <a href="{{support_link}}" rel="noreferrer">{{support}}</a></span>{{/support}}</footer></main></div></body></html>`
      .text
  }\n`;
};
