import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Form } from '../forms/form.ts';
import { contractPath, describeForm } from '../openapi/document.ts';
import { readRecordedExamples } from '../openapi/recorded-examples.ts';
import { expandClients, readClientCode } from './client-code.ts';
import { chaptersOf, withoutOtherWords } from './markdown.ts';

/** The input of the partners' reference. */
export interface ReferenceMaterial {
  /** The address at which partners reach the gateway. */
  readonly baseUrl: string;
  /** An e-mail address or a URL; `undefined` without one. */
  readonly supportContact: string | undefined;
  /** The address of a gateway that knows the demo keys; `undefined`: the pages show none of them. */
  readonly sandboxUrl: string | undefined;
  /** Folder with a folder of recorded exchanges for each form that has some. */
  readonly exchangesFolder: string;
  /** Folder with `generated/migration.md` and `site/`: the style and script of the pages, and the chapters of each form that has some. */
  readonly docsFolder: string;
  /** Folder with a folder of example clients for each form that has some, and others of programs to download. */
  readonly examplesFolder: string;
}

/** What only a reader who can reach a sandbox is told, between lines of their own. */
const aboutSandbox = /^\{sandbox\}\n(.*?)^\{\/sandbox\}\n/gms;

/** Puts addresses and the form's limits into chapters, where they say `{base_url}`, `{sandbox_url}`, `{per_minute}`, `{per_hour}` or `{per_day}`. */
const fillIn = (chapters: string, form: Form, { baseUrl, sandboxUrl }: ReferenceMaterial): string =>
  Object.entries(form.contract.limits).reduce(
    (text, [window, limit]) => text.replaceAll(`{per_${window}}`, limit.toLocaleString('en')),
    chapters
      .replaceAll(aboutSandbox, sandboxUrl === undefined ? '' : '$1')
      .replaceAll('{sandbox_url}', sandboxUrl ?? '')
      .replaceAll('{base_url}', baseUrl),
  );

/** Reads all that the reference shows of a form. Throws when a file is missing. */
export const referenceOf = (form: Form, forms: readonly Form[], material: ReferenceMaterial) => {
  const { baseUrl, supportContact, exchangesFolder, docsFolder, examplesFolder } = material;
  const recorded = readRecordedExamples(join(exchangesFolder, form.name));
  const chaptersFile = join(docsFolder, 'site', `${form.name}.md`);
  const chapters = existsSync(chaptersFile) ? fillIn(readFileSync(chaptersFile, 'utf8'), form, material) : '';
  const clients = readClientCode(join(examplesFolder, form.name), baseUrl);
  return {
    form: form.name,
    declaration: form,
    baseUrl,
    supportContact,
    recorded,
    contract: describeForm(form, { baseUrl, supportContact, recorded, forms }),
    contractPath: contractPath(form, forms),
    chapters: chaptersOf(chapters, clients),
    /** The chapters as Markdown. */
    markdown: expandClients(withoutOtherWords(chapters), clients),
  };
};

/** A form as the reference shows it. */
export type FormReference = Readonly<ReturnType<typeof referenceOf>>;
