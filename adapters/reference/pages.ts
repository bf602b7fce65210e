import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Form } from '../forms/form.ts';
import { describeForm } from '../openapi/document.ts';
import { readRecordedExamples } from '../openapi/recorded-examples.ts';
import { type FormReference, formView } from './form-view.ts';
import { html, type Markup } from './html.ts';
import { renderDocument } from './html-document.ts';
import { chaptersOf, renderMarkdown } from './markdown.ts';
import { compareContracts } from './migration.ts';

/** What the partners' reference is made of. */
export interface ReferenceMaterial {
  /** Where partners reach the service. */
  readonly publicUrl: string | undefined;
  /** What stands in commands when there is no such address. */
  readonly localUrl: string;
  /** Folder with a folder of golden exchanges for each form. */
  readonly exchangesFolder: string;
  /** Folder with what the pages are made of, and with `migration.md` if somebody wrote it. */
  readonly docsFolder: string;
}

/** What is served at a path, made once. */
export interface StaticPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

const leafOf = (text: string, type: string, policy: string, formName: string): StaticPage => ({
  bytes: Buffer.from(text),
  headers: {
    'X-Envelope-Served': formName,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'Content-Type': type,
    'Cache-Control': 'public, max-age=300',
    ETag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`,
  },
});

/** Where the contract of a form is served; the first form's is the contract. */
const contractPath = (form: Form, [first]: readonly Form[]): string =>
  form === first ? '/openapi.json' : `/openapi.${form.name}.json`;

const referenceOf = (form: Form, forms: readonly Form[], material: ReferenceMaterial): FormReference => {
  const { publicUrl, localUrl, exchangesFolder, docsFolder } = material;
  const baseUrl = publicUrl ?? localUrl;
  const golden = readRecordedExamples(join(exchangesFolder, form.name));
  const chapters = readFileSync(join(docsFolder, 'site', `${form.name}.md`), 'utf8');
  return {
    form: form.name,
    declaration: form,
    baseUrl,
    golden,
    contract: describeForm(form, { publicUrl, recorded: golden }),
    contractPath: contractPath(form, forms),
    chapters: chaptersOf(chapters.replaceAll('{base_url}', baseUrl)),
  };
};

/** How to move to the first form: as somebody wrote it, else as the contracts tell it. */
const migrationText = ([to, ...others]: readonly FormReference[], docsFolder: string): string => {
  const written = join(docsFolder, 'migration.md');
  if (existsSync(written)) return readFileSync(written, 'utf8');
  return others.map((from) => (to === undefined ? '' : compareContracts(from, to))).join('\n');
};

/** Everything the reference serves, by path. */
export const createPages = (
  forms: readonly [Form, ...Form[]],
  material: ReferenceMaterial,
): ReadonlyMap<string, StaticPage> => {
  const references = forms.map((form) => referenceOf(form, forms, material));
  const asset = (name: string): string => readFileSync(join(material.docsFolder, 'site', name), 'utf8');
  const dress = { style: asset('style.css'), script: asset('page.js') };
  const page = (title: string, body: Markup): StaticPage => {
    const { text, policy } = renderDocument(title, body, dress);
    return leafOf(text, 'text/html; charset=utf-8', policy, forms[0].name);
  };
  const migration = renderMarkdown(migrationText(references, material.docsFolder));
  return new Map([
    ...references.map(({ contract, contractPath: path, form }) => {
      const text = `${JSON.stringify(contract, null, 2)}\n`;
      return [path, leafOf(text, 'application/json; charset=utf-8', "default-src 'none'", form)] as const;
    }),
    ['/docs', page('Artist Intelligence API', html`${references.map((form) => formView(form, references))}`)],
    [
      '/docs/migration',
      page(
        'How the forms compare',
        html`<article class="plain"><nav><a href="/docs">← Reference</a></nav>${migration}</article>`,
      ),
    ],
  ]);
};
