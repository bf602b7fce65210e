import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Form } from '../../adapters/forms/form.ts';
import { contractPath, errorsPage } from '../../adapters/http/reference-links.ts';
import { builtAddress } from '../../adapters/reference/fill-in.ts';
import { docsFolder, fixtureFolder } from '../../src/runtime/folders.ts';
import { describeForm } from '../contracts/document.ts';
import { readRecordedExamples } from '../contracts/recorded-examples.ts';
import {
  clientPrograms,
  keyToSet,
  type Program,
  programMarkdown,
  programTabs,
  readShellFunctions,
  shellRequests,
  withDemoKey,
} from './client-code.ts';
import { codeBlock } from './code-blocks.ts';
import { readChapters, withoutOtherWords } from './markdown.ts';
import { type Operation, operationsOf, schemasIn } from './read-contract.ts';
import { historyPlot } from './recorded-answers.ts';

const folder = join(docsFolder, 'site');

/** The first demo key of a form in the example catalogue has every scope. */
const demoKeyOf = (form: string): string | undefined =>
  z
    .array(z.object({ form: z.string(), demo_key: z.string().optional() }))
    .parse(JSON.parse(readFileSync(join(fixtureFolder, 'api_keys.json'), 'utf8')))
    .find((key) => key.form === form && key.demo_key !== undefined)?.demo_key;

const blockOf = (kind: string): RegExp => new RegExp(`^\`\`\`${kind}\\n(.*?)\\n\`\`\`$`, 'gms');

/** Pages of the first form. Another form has one page with its name. */
const firstFormPages = ['start', 'guides', 'errors', 'tools'] as const;

/** `artist` for `/api/v1/artists/{id}`. */
const slugOf = (path: string): string => {
  const [last = '', before = ''] = path.split('/').reverse();
  return last.startsWith('{') ? before.replace(/s$/, '') : last;
};

/** Reads what the pages show of a form. Throws if a file is missing. */
export const referenceOf = (form: Form, forms: readonly Form[], unknownKeyForm: string) => {
  const isFirst = form === forms[0];
  const home = isFirst ? '/docs' : `/docs/${form.name}`;
  const demoKey = demoKeyOf(form.name);
  const recorded = readRecordedExamples(form.name);
  const contract = describeForm(form, {
    baseUrl: builtAddress,
    recorded,
    forms,
    unknownKeyForm,
  });
  const guides = readFileSync(join(folder, 'guides.md'), 'utf8');
  /** The shell function `ask`, which the pages of every form have. */
  const [, ask = ''] = /^```client\nask\n(.*?)\n```$/ms.exec(guides) ?? [];
  const readPage = (name: string): string => {
    const file = join(folder, `${name}.md`);
    const limits = Object.entries(form.contract.limits);
    return limits.reduce(
      (text, [window, limit]) => text.replaceAll(`{per_${window}}`, limit.toLocaleString('en')),
      (existsSync(file) ? readFileSync(file, 'utf8') : '')
        .replaceAll('{ask}', () => ask)
        .replaceAll('{base_url}', builtAddress)
        .replaceAll('{demo_key}', keyToSet(demoKey)),
    );
  };
  const names: readonly string[] = isFirst ? firstFormPages : [form.name];
  const texts = new Map(names.map((name) => [name, readPage(name)]));
  const shellNeeds = readShellFunctions([...texts.values()].join('\n'));

  const keyed = (code: string): string =>
    `${shellNeeds(code)}${code}`.includes('"$ARTIST_API_KEY"') ? withDemoKey(code, demoKey) : code;

  /** Reads a block `client`: the name of a tab, then the same for a shell. */
  const programsOf = (block: string): readonly Program[] => {
    const [name = '', ...lines] = block.trim().split('\n');
    const code = lines.join('\n');
    return [
      { language: 'curl', code: keyed(code), rest: shellNeeds(code) },
      ...clientPrograms(folder, name, demoKey),
    ];
  };
  const blocks = {
    client: (text: string) => programTabs(programsOf(text)),
    sh: (text: string) => codeBlock(keyed(text), 'sh', shellNeeds(text)),
    plot: historyPlot,
  };
  const asMarkdown = (text: string): string =>
    withoutOtherWords(text)
      .replaceAll(blockOf('plot'), '')
      .replaceAll(
        blockOf('sh'),
        (_block, code: string) =>
          `\`\`\`sh\n${[shellNeeds(code) ?? [], keyed(code)].flat().join('\n\n')}\n\`\`\``,
      )
      .replaceAll(blockOf('client'), (_block, text: string) => programMarkdown(programsOf(text)));

  return {
    form: form.name,
    declaration: form,
    isFirst,
    home,
    demoKey,
    recorded,
    contract,
    contractPath: contractPath(form, forms),
    /** Operations without a key are last. */
    operations: operationsOf(contract).toSorted((a, b) => Number(b.needsKey) - Number(a.needsKey)),
    pathOf: ({ path }: Operation): string => `${home}/endpoints/${slugOf(path)}`,
    errorsPath: isFirst ? errorsPage : home,
    errorObjects: schemasIn(
      contract,
      operationsOf(contract)
        .flatMap(({ responses }) => responses)
        .flatMap(({ status, schemas }) => (status.startsWith('2') ? [] : schemas)),
    ),
    chaptersOf(name: string) {
      const text = texts.get(name) ?? '';
      return { ...readChapters(text, blocks), markdown: asMarkdown(text).trim() };
    },
    programsFor({ id, needsKey }: Operation, asked: string): readonly Program[] {
      const shells = shellRequests(`${builtAddress}${asked}`, needsKey, demoKey);
      return isFirst ? [...shells, ...clientPrograms(folder, id, demoKey)] : shells;
    },
  };
};

export type FormReference = Readonly<ReturnType<typeof referenceOf>>;
