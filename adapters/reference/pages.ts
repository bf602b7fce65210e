import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Form } from '../forms/form.ts';
import { describeForm } from '../openapi/document.ts';
import { readRecordedExamples } from '../openapi/recorded-examples.ts';
import { expandClients, readClientCode } from './client-code.ts';
import { changesFeed, changesView, contractLog } from './contract-log.ts';
import { type FormReference, formView } from './form-view.ts';
import { html, type Markup } from './html.ts';
import { renderDocument } from './html-document.ts';
import { chaptersOf, renderMarkdown } from './markdown.ts';
import { llmsText, referenceMarkdown } from './markdown-pages.ts';

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

/** The path of a form's contract. */
const contractPath = (form: Form, [first]: readonly Form[]): string =>
  form === first ? '/openapi.json' : `/openapi.${form.name}.json`;

const referenceOf = (form: Form, forms: readonly Form[], material: ReferenceMaterial): FormReference => {
  const { baseUrl, supportContact, exchangesFolder, docsFolder, examplesFolder } = material;
  const recorded = readRecordedExamples(join(exchangesFolder, form.name));
  const chaptersFile = join(docsFolder, 'site', `${form.name}.md`);
  const chapters = existsSync(chaptersFile) ? readFileSync(chaptersFile, 'utf8').replaceAll('{base_url}', baseUrl) : '';
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

/** Every page and contract of the reference, by path. Throws when a file is missing. */
export const createPages = (
  forms: readonly [Form, ...Form[]],
  material: ReferenceMaterial,
): ReadonlyMap<string, StaticPage> => {
  const references = forms.map((form) => referenceOf(form, forms, material));
  const readDoc = (...path: readonly string[]): string => readFileSync(join(material.docsFolder, ...path), 'utf8');
  const assets = { style: readDoc('site', 'style.css'), script: readDoc('site', 'page.js') };
  const page = (title: string, body: Markup): StaticPage => {
    const { text, policy } = renderDocument(title, body, assets);
    return staticPage(text, 'text/html; charset=utf-8', policy, forms[0].name);
  };
  const migration = readDoc('migration.md');
  const log = contractLog.parse(JSON.parse(readDoc('site', 'changes.json')));
  const plain = (text: string, type: string): StaticPage =>
    staticPage(text, `${type}; charset=utf-8`, "default-src 'none'", forms[0].name);
  return new Map([
    ...references.map(({ contract, contractPath: path, form }) => {
      const text = `${JSON.stringify(contract, null, 2)}\n`;
      return [path, staticPage(text, 'application/json; charset=utf-8', "default-src 'none'", form)] as const;
    }),
    ['/docs', page('Artist Intelligence API', html`${references.map((form) => formView(form, references))}`)],
    [
      '/docs/migration',
      page(
        'How the forms compare',
        html`<article class="plain"><nav><a href="/docs">← Reference</a></nav>${renderMarkdown(migration)}</article>`,
      ),
    ],
    ['/docs/changes', page('Changes of the contracts', changesView(log))],
    ['/docs/changes.atom', plain(changesFeed(log, material.baseUrl), 'application/atom+xml')],
    ['/docs.md', plain(referenceMarkdown(references), 'text/markdown')],
    ['/docs/migration.md', plain(migration, 'text/markdown')],
    ['/llms.txt', plain(llmsText(references), 'text/plain')],
  ]);
};
