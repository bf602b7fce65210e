import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { YieldingWork } from '../../src/runtime/cooperative.ts';
import type { Form } from '../forms/form.ts';
import { describeForm } from '../openapi/document.ts';
import { readRecordedExamples } from '../openapi/recorded-examples.ts';
import { html, type Markup } from '../text/html.ts';
import { renderDocument } from '../text/html-document.ts';
import { expandClients, readClientCode } from './client-code.ts';
import { changesFeed, changesView, contractLog } from './contract-log.ts';
import { type FormReference, formView } from './form-view.ts';
import { chaptersOf, renderMarkdown } from './markdown.ts';
import { llmsText, referenceMarkdown } from './markdown-pages.ts';
import { contractPath, type documentPaths } from './paths.ts';

/** The input of the partners' reference. */
export interface ReferenceMaterial {
  /** The address at which partners reach the gateway. */
  readonly baseUrl: string;
  /** An e-mail address or a URL; `undefined` without one. */
  readonly supportContact: string | undefined;
  /** Folder with a folder of recorded exchanges for each form that has some. */
  readonly exchangesFolder: string;
  /** Folder with `migration.md` and `site/`: the style and script of the pages, and the chapters of each form that has some. */
  readonly docsFolder: string;
  /** Folder with a folder of example clients for each form that has some. */
  readonly examplesFolder: string;
}

/** A static response, rendered and compressed once. */
export interface StaticPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string;
  readonly plain: Representation;
  readonly gzip: Representation;
}

/** A page in one encoding; each encoding has an `ETag` of its own. */
interface Representation {
  readonly bytes: Buffer;
  readonly tag: string;
}

const staticPage = (text: string, type: string, policy: string, formName: string): StaticPage => {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
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

/** Puts the address and the form's limits into chapters, where they say `{base_url}`, `{per_minute}`, `{per_hour}` or `{per_day}`. */
const fillIn = (chapters: string, { contract: { limits } }: Form, baseUrl: string): string =>
  Object.entries(limits).reduce(
    (text, [window, limit]) => text.replaceAll(`{per_${window}}`, limit.toLocaleString('en')),
    chapters.replaceAll('{base_url}', baseUrl),
  );

const referenceOf = (form: Form, forms: readonly Form[], material: ReferenceMaterial): FormReference => {
  const { baseUrl, supportContact, exchangesFolder, docsFolder, examplesFolder } = material;
  const recorded = readRecordedExamples(join(exchangesFolder, form.name));
  const chaptersFile = join(docsFolder, 'site', `${form.name}.md`);
  const chapters = existsSync(chaptersFile) ? fillIn(readFileSync(chaptersFile, 'utf8'), form, baseUrl) : '';
  const clients = readClientCode(join(examplesFolder, form.name));
  return {
    form: form.name,
    declaration: form,
    baseUrl,
    recorded,
    contract: describeForm(form, { baseUrl, supportContact, recorded, formNames: forms.map(({ name }) => name) }),
    contractPath: contractPath(form, forms),
    chapters: chaptersOf(chapters, clients),
    markdown: expandClients(chapters, clients),
    supportContact,
  };
};

/** How each page is made, by path. */
const pageMakers = (
  { name }: Form,
  references: readonly FormReference[],
  views: readonly Markup[],
  { docsFolder, baseUrl }: ReferenceMaterial,
): readonly (readonly [path: string, make: () => StaticPage])[] => {
  const readDoc = (...path: readonly string[]): string => readFileSync(join(docsFolder, ...path), 'utf8');
  const assets = { style: readDoc('site', 'style.css'), script: readDoc('site', 'page.js') };
  const page = (title: string, body: Markup): StaticPage => {
    const { text, policy } = renderDocument(title, body, assets);
    return staticPage(text, 'text/html; charset=utf-8', policy, name);
  };
  const plain = (text: string, type: string, formName = name): StaticPage =>
    staticPage(text, `${type}; charset=utf-8`, "default-src 'none'", formName);
  const migration = readDoc('migration.md');
  const log = contractLog.parse(JSON.parse(readDoc('site', 'changes.json')));
  const documents: Record<(typeof documentPaths)[number], () => StaticPage> = {
    '/docs': () => page('Artist Intelligence API', html`${views}`),
    '/docs/migration': () =>
      page(
        'How the forms compare',
        html`<article class="plain"><nav><a href="/docs">← Reference</a></nav>${renderMarkdown(migration)}</article>`,
      ),
    '/docs/changes': () => page('Changes of the contracts', changesView(log)),
    '/docs/changes.atom': () => plain(changesFeed(log, baseUrl), 'application/atom+xml'),
    '/docs.md': () => plain(referenceMarkdown(references), 'text/markdown'),
    '/docs/migration.md': () => plain(migration, 'text/markdown'),
    '/llms.txt': () => plain(llmsText(references), 'text/plain'),
  };
  return [
    ...references.map(({ contract, contractPath: path, form }) => {
      const make = () => plain(`${JSON.stringify(contract, null, 2)}\n`, 'application/json', form);
      return [path, make] as const;
    }),
    ...Object.entries(documents),
  ];
};

/** Makes every page and contract of the reference, by path. Throws when a file is missing. */
export function* pageSteps(
  forms: readonly [Form, ...Form[]],
  material: ReferenceMaterial,
): YieldingWork<ReadonlyMap<string, StaticPage>> {
  const references: FormReference[] = [];
  for (const form of forms) {
    references.push(referenceOf(form, forms, material));
    yield;
  }
  const views: Markup[] = [];
  for (const reference of references) {
    views.push(formView(reference, references));
    yield;
  }
  const pages = new Map<string, StaticPage>();
  for (const [path, make] of pageMakers(forms[0], references, views, material)) {
    pages.set(path, make());
    yield;
  }
  return pages;
}
