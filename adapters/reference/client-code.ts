import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { html, type Markup } from '../text/html.ts';
import { codeBlock } from './elements.ts';

/**
 * A program in a language: its lines of interest, and what makes them run, which stands before
 * them.
 */
interface Program {
  readonly language: string;
  readonly code: string;
  readonly rest?: string | undefined;
}

/** The languages of the clients, and how a program takes `ask` from one. */
const languages = [
  {
    language: 'Python',
    ending: 'py',
    library: 'import json\n\n# {address}\nfrom client import ask',
  },
  {
    language: 'TypeScript',
    ending: 'ts',
    library: "// {address}\nimport { ask } from './client.ts';",
  },
] as const;

/** What Markdown calls a language. */
const fences: Readonly<Record<string, string>> = {
  curl: 'sh',
  Python: 'python',
  TypeScript: 'typescript',
};
/** The address that the clients have before they are served. */
const writtenAddress = 'http://127.0.0.1:3000';
/** The path that the part `ask` of a client asks for when it runs. */
const askedPath = '/api/v1/artists?limit=2';

/**
 * The parts of a client by name: the code, and what runs it once it is pasted. The file is read for
 * the first one, since a form may have no clients. Throws when the file or a part is missing.
 */
const readParts = (file: string, baseUrl: string) => {
  let text: string | undefined;
  return (name: string): { readonly code: string; readonly call: string } => {
    text ??= readFileSync(file, 'utf8').replaceAll(writtenAddress, () => baseUrl);
    const part = new RegExp(
      `^(?:#|//) region ${name}(?:: ([^\\n]*))?\\n(.*?)\\n(?:#|//) endregion$`,
      'ms',
    ).exec(text);
    if (part === null) throw new Error(`${file} has no region ${name}.`);
    const [, call = '', code = ''] = part;
    return { code: code.trim(), call };
  };
};

/** A request in curl. */
export const curl = (path: string, needsKey: boolean, baseUrl: string): string =>
  [
    'curl -sS --fail-with-body',
    ...(needsKey ? ['-H "Authorization: Bearer $ARTIST_API_KEY"'] : []),
    `'${baseUrl}${path}'`,
  ].join(' \\\n  ');

/**
 * Reads parts of the example clients in a folder, which the tests run. A part is what stands
 * between `region NAME: CALL` and `endregion` in comments. Throws when a file or a part is missing.
 */
export const readClientCode = (
  folder: string,
  baseUrl: string,
  shellNeeds: (lines: string) => string | undefined,
) => {
  const form = basename(folder);
  const clients = languages.map(({ language, ending, library }) => ({
    language,
    partNamed: readParts(join(folder, `client.${ending}`), baseUrl),
    library: library
      .replace('client', form)
      .replace('{address}', `${baseUrl}/docs/clients/${form}.${ending}`),
  }));
  const programs = (
    curl: Omit<Program, 'language'>,
    programOf: (client: (typeof clients)[number]) => Omit<Program, 'language'>,
  ): readonly Program[] => [
    { language: 'curl', ...curl },
    ...clients.map((client) => ({ language: client.language, ...programOf(client) })),
  ];
  return {
    /**
     * A block `client` in each language: it names a part, and below it has the same for the shell.
     * A part is shown with its call, and what it needs, such as `start` and `ask`, is its rest: it
     * runs when all is pasted alone.
     */
    block(text: string) {
      const [region = '', ...lines] = text.trim().split('\n');
      const code = lines.join('\n');
      return programs({ code, rest: shellNeeds(code) }, ({ partNamed }) => {
        const { code, call } = partNamed(region);
        const before = ['start', 'ask']
          .filter((name) => name !== region)
          .map((name) => partNamed(name).code);
        return { code: `${code}\n\n${call}`, rest: before.join('\n\n') };
      });
    },
    /** How to ask for a path with the clients as libraries, beside the same in curl. */
    request: (path: string, curl: string) =>
      programs({ code: curl }, ({ partNamed, library }) => ({
        code: `${library}\n\n${partNamed('ask').call.replace(askedPath, path)}`,
      })),
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

/** The programs that partners download: `current/client.py` is at `/docs/clients/current.py`. */
export const clientFiles = (
  examplesFolder: string,
  clientsFolder: string,
): readonly { readonly path: string; readonly file: string }[] => [
  ...readdirSync(examplesFolder).flatMap((name) =>
    readdirSync(join(examplesFolder, name))
      .filter((file) => file.startsWith('client.'))
      .map((file) => ({
        path: `/docs/clients/${name}${extname(file)}`,
        file: join(examplesFolder, name, file),
      })),
  ),
  ...readdirSync(clientsFolder).map((file) => ({
    path: `/docs/clients/${file}`,
    file: join(clientsFolder, file),
  })),
];

/**
 * A program as it is downloaded: it has the gateway's address, and speaks of itself by the name
 * that it gets.
 */
export const clientText = (
  { path, file }: ReturnType<typeof clientFiles>[number],
  baseUrl: string,
): string => {
  const name = path.slice(path.lastIndexOf('/') + 1, -extname(path).length);
  return readFileSync(file, 'utf8')
    .replaceAll(writtenAddress, () => baseUrl)
    .replaceAll(/\bclient(?=\.(?:py|sh|ts|mjs)\b| import\b)/g, name);
};
