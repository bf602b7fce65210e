import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Form } from '../forms/form.ts';
import { contractPath, describeForm } from '../openapi/document.ts';
import { readRecordedExamples } from '../openapi/recorded-examples.ts';
import { Markup } from '../text/html.ts';
import { clientMarkdown, clientTabs, readClientCode } from './client-code.ts';
import { codeBlock } from './elements.ts';
import { readChapters, withoutOtherWords } from './markdown.ts';
import { readShellFunctions } from './shell-lines.ts';

/** The input of the partners' reference. */
export interface ReferenceMaterial {
  /** The address at which partners reach the gateway. */
  readonly baseUrl: string;
  /** An e-mail address or a URL; `undefined` without one. */
  readonly supportContact: string | undefined;
  /**
   * The address of a gateway that knows the demo keys; `undefined`: the pages show none of them.
   */
  readonly sandboxUrl: string | undefined;
  /** Folder with a folder of recorded exchanges for each form that has some. */
  readonly exchangesFolder: string;
  /**
   * Folder with `generated/migration.md` and `site/`: the style and script of the pages, and the
   * chapters of each form that has some.
   */
  readonly docsFolder: string;
  /** Folder with the programs that partners download. */
  readonly clientsFolder: string;
  /** The version of the gateway. */
  readonly version: string;
}

/** Text for readers who can reach a sandbox, between separate lines. */
const aboutSandbox = /^\{sandbox\}\n(.*?)^\{\/sandbox\}\n/gms;

/**
 * Blocks of the chapters that are shown in ways of their own: `client` names a part of the clients,
 * `sh` may need functions of other chapters, `plot` is a drawing that only the page shows.
 */
const blockOf = (kind: string): RegExp => new RegExp(`^\`\`\`${kind}\\n(.*?)\\n\`\`\`$`, 'gms');

/** How a page shows a block `plot`: the drawing in `docs/generated` that it names. */
export const plotBlock =
  (docsFolder: string) =>
  (name: string): Markup =>
    new Markup(readFileSync(join(docsFolder, `generated/${name}.html`), 'utf8'));

/** A text as Markdown has it, without drawings. */
export const withoutPlots = (text: string): string => text.replaceAll(blockOf('plot'), '');

/**
 * Puts a first answer, addresses and the form's limits into chapters, where they say
 * `{first_answer}`, `{base_url}`, `{per_minute}` or the like.
 */
const fillIn = (
  chapters: string,
  form: Form,
  { baseUrl, sandboxUrl, docsFolder }: ReferenceMaterial,
): string =>
  Object.entries(form.contract.limits).reduce(
    (text, [window, limit]) => text.replaceAll(`{per_${window}}`, limit.toLocaleString('en')),
    chapters
      .replace('{first_answer}', () =>
        readFileSync(join(docsFolder, `generated/first-answer-${form.name}.md`), 'utf8'),
      )
      .replaceAll(aboutSandbox, sandboxUrl === undefined ? '' : '$1')
      .replaceAll('{sandbox_url}', sandboxUrl ?? '')
      .replaceAll('{base_url}', baseUrl),
  );

/** Reads all that the reference shows of a form. Throws when a file is missing. */
export const referenceOf = (form: Form, forms: readonly Form[], material: ReferenceMaterial) => {
  const { baseUrl, supportContact, exchangesFolder, docsFolder } = material;
  const recorded = readRecordedExamples(join(exchangesFolder, form.name));
  const chaptersFile = join(docsFolder, 'site', `${form.name}.md`);
  const chapters = existsSync(chaptersFile)
    ? fillIn(readFileSync(chaptersFile, 'utf8'), form, material)
    : '';
  const shellNeeds = readShellFunctions(chapters);
  // The programs that partners download ask in the first form.
  const clientFolder = form === forms[0] ? join(docsFolder, 'site') : undefined;
  const clients = readClientCode(clientFolder, baseUrl, shellNeeds);
  const blocks = {
    client: (text: string) => clientTabs(clients.block(text)),
    sh: (text: string) => codeBlock(text, 'sh', shellNeeds(text)),
    plot: plotBlock(docsFolder),
  };
  return {
    form: form.name,
    declaration: form,
    baseUrl,
    supportContact,
    recorded,
    contract: describeForm(form, { baseUrl, supportContact, recorded, forms }),
    contractPath: contractPath(form, forms),
    clients,
    ...readChapters(chapters, `${form.name}-`, blocks),
    /** Introduction and chapters as Markdown. */
    markdown: withoutPlots(withoutOtherWords(chapters))
      .replaceAll(
        blockOf('sh'),
        (_block, text: string) =>
          `\`\`\`sh\n${[shellNeeds(text) ?? [], text].flat().join('\n\n')}\n\`\`\``,
      )
      .replaceAll(blockOf('client'), (_block, text: string) => clientMarkdown(clients.block(text))),
  };
};

/** A form as the reference shows it. */
export type FormReference = Readonly<ReturnType<typeof referenceOf>>;
