import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface SourceFile {
  /** From the root, like `adapters/forms/current/form.ts`. */
  readonly path: string;
  readonly text: string;
  /** The text with blanks instead of comments. Positions stay the same. */
  readonly code: string;
  /** Paths from the root, or names of packages and built-in modules. */
  readonly imports: readonly string[];
}

const tokens = [
  /\/\*[\s\S]*?\*\/|\/\/.*/, // comments
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/,
  /(?<=[(,=:[!&|?{};]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//, // regular expressions
].map(({ source }) => source);
const anyToken = new RegExp(tokens.join('|'), 'g');

const withBlanks = (text: string, isBlank: (token: string) => boolean): string =>
  text.replaceAll(anyToken, (token) => (isBlank(token) ? token.replaceAll(/[^\n]/g, ' ') : token));

const withoutComments = (text: string): string =>
  withBlanks(text, (token) => /^\/[/*]/.test(token));

/** Also without strings, templates and regular expressions. */
export const withoutTexts = (text: string): string => withBlanks(text, () => true);

const imported = /^(?:(?:import|export|\}).* from|import) '([^']+)'|\bimport\(\s*'([^']+)'/gm;

export const parseSource = (path: string, text: string): SourceFile => {
  const code = withoutComments(text);
  const imports = [...code.matchAll(imported)].map(
    ([, from = '', dynamic = '']) => from || dynamic,
  );
  return {
    path,
    text,
    code,
    imports: imports.map((name) => (name.startsWith('.') ? join(dirname(path), name) : name)),
  };
};

/** Paths from the root of all TypeScript files below a folder. */
export const pathsBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts'));

export const readSource = (path: string): SourceFile =>
  parseSource(path, readFileSync(join(root, path), 'utf8'));
