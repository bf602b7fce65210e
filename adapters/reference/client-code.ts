import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type Markup } from '../text/html.ts';
import { codeBlock } from './elements.ts';

/** The same part of a form's example clients in each language. */
export type ClientCode = (region: string) => readonly { readonly language: string; readonly code: string }[];

const languages: readonly (readonly [language: string, file: string])[] = [
  ['curl', 'client.sh'],
  ['Python', 'client.py'],
  ['TypeScript', 'client.ts'],
];

/** What Markdown calls a language. */
const fences: Readonly<Record<string, string>> = { curl: 'sh', Python: 'python', TypeScript: 'typescript' };

/**
 * Reads parts of the example clients in a folder, which the tests run. A part is what stands between `region NAME` and
 * `endregion` in comments. Throws when a file or a part is missing.
 */
export const readClientCode =
  (folder: string): ClientCode =>
  (region) =>
    languages.map(([language, file]) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const code = new RegExp(`^(?:#|//) region ${region}\\n(.*?)\\n(?:#|//) endregion$`, 'ms').exec(text)?.[1];
      if (code === undefined) throw new Error(`${join(folder, file)} has no region ${region}.`);
      return { language, code };
    });

/** The languages one below the other. The page's script makes tabs of them. */
export const clientTabs = (clients: ReturnType<ClientCode>): Markup =>
  html`<div class="tabs">${clients.map(
    ({ language, code }) =>
      html`<div class="tab" data-language="${language}"><p class="language">${language}</p>${codeBlock(code, '')}</div>`,
  )}</div>`;

const fence = /^```client\n(\w+)\n```$/gm;

/** Replaces each block `client` of a Markdown text by the code of every language, as Markdown. */
export const expandClients = (text: string, clients: ClientCode): string =>
  text.replaceAll(fence, (_block, region: string) =>
    clients(region)
      .map(({ language, code }) => `${language}:\n\n\`\`\`${fences[language] ?? ''}\n${code}\n\`\`\``)
      .join('\n\n'),
  );
