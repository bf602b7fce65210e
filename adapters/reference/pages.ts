import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { forEachInTurns } from '../../src/runtime/cooperative.ts';
import type { Form } from '../forms/form.ts';
import { publicPathOf } from '../http/response-headers.ts';
import { html, Markup } from '../text/html.ts';
import { renderDocument } from '../text/html-document.ts';
import { clientFiles, clientText } from './client-code.ts';
import { changesFeed, changesMarkdown, contractLog } from './contract-log.ts';
import {
  type FormReference,
  plotBlock,
  type ReferenceMaterial,
  referenceOf,
  withoutPlots,
} from './form-reference.ts';
import { formView } from './form-view.ts';
import { contentsLink, partView, sectionView } from './frame.ts';
import { type Blocks, readChapters } from './markdown.ts';
import { llmsText, referenceMarkdown } from './markdown-pages.ts';

/** A static response, rendered and compressed once; each encoding has its own `ETag`. */
const staticPage = (text: string, type: string, policy: string, formName: string) => {
  const bytes = Buffer.from(text);
  const digest = hash('sha256', bytes, 'base64url').slice(0, 27);
  return {
    plain: { bytes, tag: `"${digest}"` },
    gzip: { bytes: gzipSync(bytes), tag: `"${digest}-gzip"` },
    type,
    headers: {
      'X-Envelope-Served': formName,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'public, max-age=300',
      Vary: 'Accept-Encoding',
    },
  };
};

export type StaticPage = Readonly<ReturnType<typeof staticPage>>;

/**
 * A Markdown text with the head of the reference. `ids` are those of its chapters, by default their
 * titles.
 */
const chaptersView = (
  id: string,
  text: string,
  forms: readonly string[],
  { ids = [], blocks }: { readonly ids?: readonly string[]; readonly blocks?: Blocks } = {},
): Markup => {
  const { introduction, chapters } = readChapters(text, '', blocks);
  const named = chapters.map((chapter, index) => ({ ...chapter, id: ids[index] ?? chapter.id }));
  const contents = html`<h2>On this page</h2><ul>${named.map((chapter) => contentsLink(chapter.id, chapter.title))}</ul>`;
  const sections = named.map((chapter) => sectionView(chapter, 'chapter'));
  return partView(id, contents, html`<header>${introduction}</header>${sections}`, forms);
};

/** Code without the comments at the beginnings of its lines, in linear time. */
export const withoutComments = (code: string): string =>
  code.replaceAll(/^[ \t]*(?:\/\*.*?(?:\*\/|$(?!.))|\/\/[^\n]*)/gms, '');

/** The library that the search of a page runs on, with its licence and without its comments. */
const searchLibrary = (): string => {
  const file = createRequire(import.meta.url).resolve('minisearch');
  const licence = readFileSync(join(dirname(file), '../../LICENSE.txt'), 'utf8');
  const code = withoutComments(readFileSync(file, 'utf8'));
  return `/* MiniSearch. ${licence} */\nconst MiniSearch = ((module) => {${code}; return module.exports; })({});\n`;
};

/** Links to other pages, which the texts write from the root, begin with the path of the address. */
const belowPath = ({ text }: Markup, baseUrl: string): Markup => {
  const path = html`${publicPathOf(baseUrl)}`.text;
  return new Markup(text.replaceAll('href="/', () => `href="${path}/`));
};

/** Makes the pages one after the other, each with its path. */
function* makePages(
  { name }: Form,
  references: readonly FormReference[],
  views: readonly Markup[],
  { docsFolder, clientsFolder, baseUrl, version }: ReferenceMaterial,
): Generator<readonly [path: string, page: StaticPage]> {
  const readDoc = (path: string): string => readFileSync(join(docsFolder, path), 'utf8');
  const style = readDoc('site/style.css');
  const script = readDoc('site/page.js') + searchLibrary() + readDoc('site/search.js');
  const page = (title: string, body: Markup): StaticPage => {
    const { text, policy } = renderDocument(title, belowPath(body, baseUrl), { style, script });
    return staticPage(text, 'text/html; charset=utf-8', policy, name);
  };
  const plain = (text: string, type: string, formName = name): StaticPage =>
    staticPage(text, `${type}; charset=utf-8`, "default-src 'none'", formName);
  const markdown = (text: string): StaticPage =>
    plain(
      text.replaceAll('](/', () => `](${baseUrl}/`),
      'text/markdown',
    );
  const json = (value: object, formName: string): StaticPage =>
    plain(`${JSON.stringify(value, null, 2)}\n`, 'application/json', formName);

  for (const { contractPath, contract, form } of references)
    yield [contractPath, json(contract, form)];
  const formNames = references.map(({ form }) => form);
  const migration = readDoc('generated/migration.md');
  const log = contractLog.parse(JSON.parse(readDoc('site/changes.json')));
  const [changes, releaseIds] = [changesMarkdown(log), log.releases.map(({ id }) => id)];
  yield ['/docs', page('Artist Intelligence API', html`${views}`)];
  const blocks = { plot: plotBlock(docsFolder) };
  yield [
    '/docs/migration',
    page('How the forms compare', chaptersView('migration', migration, formNames, { blocks })),
  ];
  yield [
    '/docs/changes',
    page(
      'Changes of the contracts',
      chaptersView('changes', changes, formNames, { ids: releaseIds }),
    ),
  ];
  yield ['/docs/changes.atom', plain(changesFeed(log, baseUrl), 'application/atom+xml')];
  yield ['/docs/changes.md', markdown(changes)];
  yield ['/docs.md', markdown(referenceMarkdown(references))];
  yield ['/docs/migration.md', markdown(withoutPlots(migration))];
  yield ['/llms.txt', plain(llmsText(references), 'text/plain')];
  for (const { path, file } of clientFiles(clientsFolder))
    yield [path, plain(clientText(file, baseUrl, version), 'text/plain')];
}

/** Makes every page and contract of the reference, by path. Throws when a file is missing. */
export const createPages = async (
  forms: readonly [Form, ...Form[]],
  material: ReferenceMaterial,
): Promise<ReadonlyMap<string, StaticPage>> => {
  const references: FormReference[] = [];
  await forEachInTurns(forms, (form) => references.push(referenceOf(form, forms, material)), 1);
  const names = forms.map(({ name }) => name);
  const views: Markup[] = [];
  await forEachInTurns(references, (reference) => views.push(formView(reference, names)), 1);
  const pages = new Map<string, StaticPage>();
  await forEachInTurns(
    makePages(forms[0], references, views, material),
    ([path, page]) => pages.set(path, page),
    1,
  );
  return pages;
};
