import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { examplesFolder } from '../src/runtime/config.ts';

/** The programs in TypeScript that are served as JavaScript too, for Node 20. */
export const typedPrograms = [
  'current/client',
  'variant/client',
  'moving/moving',
  'assistant/assistant',
] as const;

/** Stands for an empty line, which the compiler would drop. */
const emptyLine = '//-';

/** How programs speak of themselves and of each other. */
const ownName = /\b(client|current|variant|moving|assistant)\.ts\b/g;

/** The file of a program, with its ending. */
export const programFile = (program: string, ending: 'ts' | 'mjs'): string =>
  join(examplesFolder, `${program}.${ending}`);

/** A program of the examples as JavaScript: without its types, formatted as all code. */
export const toJavaScript = (program: (typeof typedPrograms)[number]): string => {
  const typed = readFileSync(programFile(program, 'ts'), 'utf8').replaceAll(/^$/gm, emptyLine);
  const { outputText } = ts.transpileModule(typed, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  });
  const plain = outputText
    .replaceAll(new RegExp(`^ *${emptyLine}$`, 'gm'), '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(ownName, '$1.mjs');
  const biome = join('node_modules', '.bin', 'biome');
  return execFileSync(biome, ['format', '--stdin-file-path', programFile(program, 'mjs')], {
    input: plain,
    encoding: 'utf8',
  });
};
