import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { html, type Markup } from '../text/html.ts';
import { codeBlock } from './elements.ts';

/** The code of a block `client`, in each language. The block names a part of a form's clients, and below it has the same in curl. */
export type ClientCode = (block: string) => readonly { readonly language: string; readonly code: string }[];

const languages: readonly (readonly [language: string, file: string])[] = [
  ['Python', 'client.py'],
  ['TypeScript', 'client.ts'],
];

/** What Markdown calls a language. */
const fences: Readonly<Record<string, string>> = { curl: 'sh', Python: 'python', TypeScript: 'typescript' };
/** The address that the clients have before they are served. */
const writtenAddress = 'http://127.0.0.1:3000';

/** The parts of a client by name: the code, and what runs it once it is pasted. Throws when one is missing. */
const readParts = (file: string, baseUrl: string) => {
  const text = readFileSync(file, 'utf8').replaceAll(writtenAddress, () => baseUrl);
  return (name: string): { readonly code: string; readonly call: string } => {
    const part = new RegExp(`^(?:#|//) region ${name}(?:: ([^\\n]*))?\\n(.*?)\\n(?:#|//) endregion$`, 'ms').exec(text);
    if (part === null) throw new Error(`${file} has no region ${name}.`);
    const [, call = '', code = ''] = part;
    return { code: code.trim(), call };
  };
};

/**
 * Reads parts of the example clients in a folder, which the tests run. A part is what stands between `region NAME: CALL` and
 * `endregion` in comments. It is shown with the parts that it needs, `start` and `ask`, and with its call, so that it runs when it is
 * pasted alone. Throws when a file or a part is missing.
 */
export const readClientCode =
  (folder: string, baseUrl: string): ClientCode =>
  (block) => {
    const [region = '', ...curl] = block.trim().split('\n');
    const programs = languages.map(([language, file]) => {
      const partNamed = readParts(join(folder, file), baseUrl);
      const names = [...new Set(['start', 'ask', region])];
      return { language, code: [...names.map((name) => partNamed(name).code), partNamed(region).call].join('\n\n') };
    });
    return [{ language: 'curl', code: curl.join('\n') }, ...programs];
  };

/** The languages one below the other. The page's script makes tabs of them. */
export const clientTabs = (clients: ReturnType<ClientCode>): Markup =>
  html`<div class="tabs">${clients.map(
    ({ language, code }) =>
      html`<div class="tab" data-language="${language}"><p class="language">${language}</p>${codeBlock(code, '')}</div>`,
  )}</div>`;

const fence = /^```client\n(.*?)\n```$/gms;

/** Replaces each block `client` of a Markdown text by the code of every language, as Markdown. */
export const expandClients = (text: string, clients: ClientCode): string =>
  text.replaceAll(fence, (_block, block: string) =>
    clients(block)
      .map(({ language, code }) => `${language}:\n\n\`\`\`${fences[language] ?? ''}\n${code}\n\`\`\``)
      .join('\n\n'),
  );

/** The programs that partners download: `current/client.py` is at `/docs/clients/current.py`. */
export const clientFiles = (folder: string): readonly { readonly path: string; readonly file: string }[] =>
  readdirSync(folder).flatMap((name) =>
    readdirSync(join(folder, name))
      .filter((file) => /\.(?:py|ts|mjs|sh)$/.test(file)) // the assistant has a package.json and perhaps node_modules
      .map((file) => ({ path: `/docs/clients/${name}${extname(file)}`, file: join(folder, name, file) })),
  );

/** A program as it is downloaded: it has the gateway's address, and speaks of itself by the name that it gets. */
export const clientText = ({ path, file }: ReturnType<typeof clientFiles>[number], baseUrl: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1, -extname(path).length);
  return readFileSync(file, 'utf8')
    .replaceAll(writtenAddress, () => baseUrl)
    .replaceAll(/\bclient(?=\.(?:py|sh|ts|mjs)\b| import\b)/g, name);
};
