import { readFileSync } from 'node:fs';
import { html, type Markup } from '../../adapters/text/html.ts';
import { codeBlock } from './elements.ts';

/** A program in a language. */
export interface Program {
  readonly language: string;
  readonly code: string;
  readonly rest?: string | undefined;
}

/** The languages of the client, with the endings of their files, and how each is given a key. */
const languages = [
  ['Python', 'py', 'key="KEY"'],
  ['TypeScript', 'ts', "{ key: 'KEY' }"],
] as const;

/** The names of languages in Markdown. */
const fences: Readonly<Record<string, string>> = {
  curl: 'sh',
  PowerShell: 'powershell',
  Python: 'python',
  TypeScript: 'typescript',
};

/** A tab of a file by its name: the lines between `region NAME` and `endregion`. */
const readTab = (file: string, name: string): string => {
  const tab = new RegExp(`^(?:#|//) region ${name}\\n(.*?)\\n(?:#|//) endregion$`, 'ms');
  const [, code] = tab.exec(readFileSync(file, 'utf8')) ?? [];
  if (code === undefined) throw new Error(`${file} has no region ${name}.`);
  return code;
};

/** A text of the gateway that accepts the demo keys, and the same of all other gateways. */
const inSandbox = (key: string | undefined, other: string): string =>
  key === undefined
    ? other
    : `{{#own_sandbox}}${key}{{/own_sandbox}}{{^own_sandbox}}${other}{{/own_sandbox}}`;

/** The key that a reader sets first: a demo key, or a placeholder. */
export const keyToSet = (demoKey: string | undefined): string => inSandbox(demoKey, 'aik_…');

/** A request as shell commands, for a form whose demo key is given. */
export const shellRequests = (
  url: string,
  needsKey: boolean,
  demoKey: string | undefined,
): readonly Program[] => {
  const bearer = (variable: string) => `"Bearer ${inSandbox(demoKey, variable)}"`;
  const curl = [
    'curl -sS --fail-with-body',
    ...(needsKey ? [`-H "Authorization: ${bearer('$ARTIST_API_KEY').slice(1)}`] : []),
    `'${url}'`,
  ];
  const headers = `-Headers @{ Authorization = ${bearer('$env:ARTIST_API_KEY')} } `;
  const powerShell = `Invoke-RestMethod ${needsKey ? headers : ''}\`\n  '${url}' | ConvertTo-Json -Depth 9`;
  return [
    { language: 'curl', code: curl.join(' \\\n  ') },
    { language: 'PowerShell', code: powerShell },
  ];
};

/** Shell lines that use the key. In the sandbox they set a demo key, unless one is set. */
export const withDemoKey = (code: string, demoKey: string | undefined): string =>
  demoKey === undefined
    ? code
    : `{{#own_sandbox}}\nexport ARTIST_API_KEY="\${ARTIST_API_KEY:-${demoKey}}"\n{{/own_sandbox}}\n${code}`;

/** A tab of the client in each of its languages. `folder` has the files `tabs.*`. */
export const clientPrograms = (
  folder: string,
  name: string,
  demoKey: string | undefined,
): readonly Program[] =>
  languages.map(([language, ending, options]) => ({
    language,
    code: readTab(`${folder}/tabs.${ending}`, name).replace(
      'Client()',
      `Client(${inSandbox(demoKey && options.replace('KEY', demoKey), '')})`,
    ),
  }));

/** The languages one below the other. The page's script makes tabs of them. */
export const programTabs = (programs: readonly Program[]): Markup =>
  html`<div class="tabs">${programs.map(
    ({ language, code, rest }) =>
      html`<div class="tab" data-language="${language}"><p class="language">${language}</p>${codeBlock(code, fences[language] ?? '', rest)}</div>`,
  )}</div>`;

/** The same in Markdown. */
export const programMarkdown = (programs: readonly Program[]): string =>
  programs
    .map(({ language, code, rest }) => {
      const program = rest === undefined ? code : `${rest}\n\n${code}`;
      return `${language}:\n\n\`\`\`${fences[language] ?? ''}\n${program}\n\`\`\``;
    })
    .join('\n\n');
