import { readFileSync } from 'node:fs';
import { html, type Markup } from '../../adapters/text/html.ts';
import { codeBlock } from './code-blocks.ts';

export interface Program {
  readonly language: string;
  readonly code: string;
  /** The lines that `code` needs. */
  readonly rest?: string | undefined;
}

/** Languages of the client, their file extensions, and how to pass a key. */
const languages = [
  ['Python', 'py', 'key="KEY"'],
  ['TypeScript', 'ts', "{ key: 'KEY' }"],
] as const;

const fenceOf = (language: string): string => (language === 'curl' ? 'sh' : language.toLowerCase());

/** Reads the lines between `region NAME` and `endregion`. */
const readTab = (file: string, name: string): string => {
  const tab = new RegExp(`^(?:#|//) region ${name}\\n(.*?)\\n(?:#|//) endregion$`, 'ms');
  const [, code] = tab.exec(readFileSync(file, 'utf8')) ?? [];
  if (code === undefined) throw new Error(`${file} has no region ${name}.`);
  return code;
};

/** `key` on a gateway that accepts demo keys, `other` on all other gateways. */
const inSandbox = (key: string | undefined, other: string): string =>
  key === undefined
    ? other
    : `{{#own_sandbox}}${key}{{/own_sandbox}}{{^own_sandbox}}${other}{{/own_sandbox}}`;

export const keyToSet = (demoKey: string | undefined): string => inSandbox(demoKey, 'aik_…');

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

/** In the sandbox, shell lines set a demo key unless the reader has set a key. */
export const withDemoKey = (code: string, demoKey: string | undefined): string =>
  demoKey === undefined
    ? code
    : `{{#own_sandbox}}\nexport ARTIST_API_KEY="\${ARTIST_API_KEY:-${demoKey}}"\n{{/own_sandbox}}\n${code}`;

/** `folder` has the files `tabs.*`. */
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

/** The page's script turns the list into tabs. */
export const programTabs = (programs: readonly Program[]): Markup =>
  html`<div class="tabs">${programs.map(
    ({ language, code, rest }) =>
      html`<div class="tab" data-language="${language}"><p class="language">${language}</p>${codeBlock(code, fenceOf(language), rest)}</div>`,
  )}</div>`;

export const programMarkdown = (programs: readonly Program[]): string =>
  programs
    .map(({ language, code, rest }) => {
      const program = rest === undefined ? code : `${rest}\n\n${code}`;
      return `${language}:\n\n\`\`\`${fenceOf(language)}\n${program}\n\`\`\``;
    })
    .join('\n\n');

const definition = /^(\w+)\(\) \{.*?^\}$/gms;

/**
 * Reads the shell functions of chapters. The returned function finds those that some lines need to
 * run alone, each before its callers; `undefined` without any.
 */
export const readShellFunctions = (chapters: string) => {
  const functions = [...chapters.matchAll(definition)].map(([code, name = '']) => ({ code, name }));
  const needsOf = (lines: string): readonly string[] =>
    functions
      .filter(
        ({ code, name }) =>
          !lines.includes(code) && new RegExp(`(?:^|\\$\\(|&&) *${name} `, 'm').test(lines),
      )
      .flatMap(({ code }) => [...needsOf(code), code]);
  return (lines: string): string | undefined => {
    const needs = [...new Set(needsOf(lines))];
    return needs.length === 0 ? undefined : needs.join('\n\n');
  };
};
