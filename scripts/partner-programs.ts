import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { transformSync } from '@swc/wasm-typescript';

const programs = [
  'client/artist_api.py',
  'client/artist-api.ts',
  'assistant/assistant.ts',
] as const;

const partnersFolder = join(import.meta.dirname, '..', 'partners');

/** A comment above a removed type. */
const commentOfType = /(?<=\n) *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n\n/g;

const ownName = /\b(assistant|artist-api)\.ts\b/g;

const readExample = (file: string): string => readFileSync(join(partnersFolder, file), 'utf8');

const format = (text: string, name: string): string => {
  const biome = join('node_modules', '.bin', 'biome');
  const options = [
    'check',
    '--write',
    '--linter-enabled=false',
    '--vcs-enabled=false', // an image is built without a repository
    '--stdin-file-path',
    join(partnersFolder, name),
  ];
  return execFileSync(biome, options, { input: text, encoding: 'utf8' });
};

/** Splits a file after the first line that ends its header. */
const splitAfter = (text: string, line: RegExp): readonly [header: string, rest: string] => {
  const end = line.exec(text);
  if (end === null) throw new Error(`No line ${line} in ${text.slice(0, 80)}`);
  const place = end.index + end[0].length;
  return [text.slice(0, place), text.slice(place)];
};

const sharedFile = '../shared/http.ts';

/** Joins a TypeScript program with `shared`, without exports of `shared`. */
const joinTypeScript = (part: string, name: string): string => {
  const importLine = /^import (?:type )?\{([^}]*)\} from '([^']+)';\n/gm;
  const imported = new Map<string, Set<string>>();
  const withoutImports = (text: string): string =>
    text.replaceAll(importLine, (_line, names: string, file: string) => {
      const known = imported.get(file) ?? new Set();
      for (const name of names.split(',')) if (name.trim() !== '') known.add(name.trim());
      imported.set(file, known);
      return '';
    });
  const [header, rest] = splitAfter(part, /^ \*\/\n/m);
  const own = withoutImports(rest);
  if (!imported.delete(sharedFile)) return part;
  const shared = withoutImports(readExample('shared/http.ts')).replaceAll(/^export (?=\w)/gm, '');
  const imports = [...imported].map(
    ([file, names]) => `import { ${[...names].join(', ')} } from '${file}';`,
  );
  return format([header, ...imports, shared, own].join('\n'), name);
};

/** Node 20 does not run TypeScript. */
const toJavaScript = (typed: string, name: string): string => {
  const { code } = transformSync(typed, { mode: 'strip-only', module: true });
  return format(code.replaceAll(ownName, '$1.mjs'), name).replaceAll(commentOfType, '');
};

/** The programs that partners download, each in one file. */
export const joinPrograms = (): readonly (readonly [name: string, text: string])[] =>
  programs.flatMap((file) => {
    const [name, part] = [basename(file), readExample(file)];
    if (name.endsWith('.py')) return [[name, part] as const];
    const typed = joinTypeScript(part, name);
    const plain = name.replace('.ts', '.mjs');
    return [[name, typed] as const, [plain, toJavaScript(typed, plain)] as const];
  });
