import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type Markup } from '../text/html.ts';
import { codeBlock } from './elements.ts';

/** A program in a language. */
interface Program {
  readonly language: string;
  readonly code: string;
  readonly rest?: string | undefined;
}

/** The languages of the client, with the endings of their files. */
const languages = [
  ['Python', 'py'],
  ['TypeScript', 'ts'],
] as const;

/** What Markdown calls a language. */
const fences: Readonly<Record<string, string>> = {
  curl: 'sh',
  Python: 'python',
  TypeScript: 'typescript',
};
/** The address and the version that the programs have before they are served. */
const [writtenAddress, writtenVersion] = ['http://127.0.0.1:3000', '0.0.0'];
/** The path that the tab `ask` asks for. */
const askedPath = '/api/v1/artists?limit=2';

/** A tab of a file by its name: the lines between `region NAME` and `endregion`. */
const readTab = (file: string, name: string): string => {
  const tab = new RegExp(`^(?:#|//) region ${name}\\n(.*?)\\n(?:#|//) endregion$`, 'ms');
  const [, code] = tab.exec(readFileSync(file, 'utf8')) ?? [];
  if (code === undefined) throw new Error(`${file} has no region ${name}.`);
  return code;
};

/** A request in curl. */
export const curl = (path: string, needsKey: boolean, baseUrl: string): string =>
  [
    'curl -sS --fail-with-body',
    ...(needsKey ? ['-H "Authorization: Bearer $ARTIST_API_KEY"'] : []),
    `'${baseUrl}${path}'`,
  ].join(' \\\n  ');

/**
 * The code of a form's tabs: curl, and where there is a client of the form what `folder` has for
 * each of its languages. Throws when a file or a tab is missing.
 */
export const readClientCode = (
  folder: string | undefined,
  baseUrl: string,
  shellNeeds: (lines: string) => string | undefined,
) => {
  const programs = (name: string, path: string, curl: string): readonly Program[] => [
    { language: 'curl', code: curl, rest: shellNeeds(curl) },
    ...(folder === undefined ? [] : languages).map(([language, ending]) => ({
      language,
      code: readTab(join(folder ?? '', `tabs.${ending}`), name)
        .replaceAll(writtenAddress, () => baseUrl)
        .replace(askedPath, () => path),
    })),
  ];
  return {
    /** A block `client` in each language: it names a tab, and below it has the same in curl. */
    block(text: string) {
      const [name = '', ...curl] = text.trim().split('\n');
      return programs(name, askedPath, curl.join('\n'));
    },
    /** How to ask for a path with the client as a library, beside the same in curl. */
    request: (path: string, curl: string) => programs('ask', path, curl),
  };
};

/** The languages one below the other. The page's script makes tabs of them. */
export const clientTabs = (programs: readonly Program[]): Markup =>
  html`<div class="tabs">${programs.map(
    ({ language, code, rest }) =>
      html`<div class="tab" data-language="${language}"><p class="language">${language}</p>${codeBlock(code, fences[language] ?? '', rest)}</div>`,
  )}</div>`;

/** The same in Markdown. */
export const clientMarkdown = (programs: readonly Program[]): string =>
  programs
    .map(({ language, code, rest }) => {
      const program = rest === undefined ? code : `${rest}\n\n${code}`;
      return `${language}:\n\n\`\`\`${fences[language] ?? ''}\n${program}\n\`\`\``;
    })
    .join('\n\n');

/** The programs that partners download. */
export const clientFiles = (
  clientsFolder: string,
): readonly { readonly path: string; readonly file: string }[] =>
  readdirSync(clientsFolder).map((name) => ({
    path: `/docs/clients/${name}`,
    file: join(clientsFolder, name),
  }));

/**
 * A program as it is downloaded: with the gateway's version and address. An address may contain
 * what stands for the version (`10.0.0.5`), so it comes last.
 */
export const clientText = (file: string, baseUrl: string, version: string): string =>
  readFileSync(file, 'utf8')
    .replaceAll(writtenVersion, () => version)
    .replaceAll(writtenAddress, () => baseUrl);
