import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathsBelow, root, withoutTexts } from '../test/support/architecture.ts';
import { createRandom } from '../test/support/nemesis/random.ts';

/**
 * Changes one place of the sources at a time and runs tests against each change. Prints changes
 * that no test notices.
 *
 *     COUNT=40 SEED=1 npm run mutants -- src/quota 'test/quota/*.test.ts'
 *
 * The first argument is a folder or file, the others are tests. It works on a copy of the working
 * tree. Tests that start the built gateway do not see mutants.
 */
const { COUNT = '20', SEED = '1' } = process.env;
const [source, ...tests] = process.argv.slice(2);
if (source === undefined || tests.length === 0)
  throw new Error('Name a folder and tests: npm run mutants -- src/quota test/quota/*.test.ts');
const random = createRandom(Number(SEED));

interface Mutant {
  readonly path: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly start: number;
}

/** Replaced tokens. */
const operators: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '&&': '||', '||': '&&', '??': '&&', '+': '-', '-': '+', true: 'false', false: 'true' },
};

/** A pair of parentheses with what is in it, three levels deep. */
const group = [1, 2, 3].reduce((inner) => `\\((?:[^()]|${inner})*\\)`, '\\([^()]*\\)');

/** Patterns in code as Biome formats it, and what replaces them. */
const changes: readonly (readonly [pattern: string, to: (found: string) => string])[] = [
  ['(?<= )(?:[!=]==|[<>]=?|&&|\\|\\||\\?\\?|[+-])(?= )', (found) => operators[found] ?? found],
  ['\\b(?:true|false)\\b', (found) => operators[found] ?? found],
  [`(?<=\\bif )${group}`, () => (random() < 0.5 ? '(false)' : '(true)')],
  ['(?<=[ (.])!(?=[\\w(])', () => ''],
  ['(?<![\\w.$]|: )\\d[\\d_]*\\b(?!\\.)', (found) => String(Number(found.replaceAll('_', '')) + 1)],
  [`^ +(?:await )?[\\w.]+${group};$`, () => ';'],
  ['\\.\\.\\.\\(', () => '...(null && '],
  ['(?<= )\\?(?= )', () => '&& false ?'],
  ['^ +[\\w.]+ [-+*?|&]*= [^;]*;$', () => ';'],
  [`\\.(?:filter|toSorted|slice|toReversed|trim)${group}`, () => ''],
];

const mutantsOf = (path: string): Mutant[] => {
  const text = readFileSync(join(root, path), 'utf8');
  const code = withoutTexts(text).replaceAll(
    /^(?:export )?(?:import|type|interface) [^;{]*(?:;|\{[^}]*\}[^;\n]*)/gm,
    (types) => types.replaceAll(/[^\n]/g, ' '),
  );
  return changes.flatMap(([pattern, to]) =>
    [...code.matchAll(new RegExp(pattern, 'gm'))].map(({ index, 0: found }) => ({
      path,
      line: text.slice(0, index).split('\n').length,
      from: text.slice(index, index + found.length),
      to: to(found),
      start: index,
    })),
  );
};

const paths = source.endsWith('.ts') ? [source] : pathsBelow(source);
const left = paths.toSorted().flatMap(mutantsOf);
const found = left.length;
const mutants = Array.from({ length: Math.min(Number(COUNT), found) }, () =>
  left.splice(Math.floor(random() * left.length), 1),
).flat();

const copy = mkdtempSync(join(tmpdir(), 'artist-gateway-mutants-'));
const isLinked = (name: string): boolean => ['node_modules', 'dist'].includes(name);
cpSync(root, copy, {
  recursive: true,
  filter: (path) => !isLinked(basename(path)) && basename(path) !== '.git',
});
for (const path of ['node_modules', 'dist', 'test/support/mongodb/node_modules'])
  symlinkSync(join(root, path), join(copy, path));

/** True if the tests pass in the copy. A mutant that hangs them counts as killed. */
const pass = (): boolean =>
  spawnSync('npx', ['mocha', '--bail', ...tests], { cwd: copy, stdio: 'ignore', timeout: 300_000 })
    .status === 0;
try {
  if (!pass()) throw new Error('the tests fail without a mutant');
  let survivors = 0;
  for (const { path, line, from, to, start } of mutants) {
    const text = readFileSync(join(root, path), 'utf8');
    writeFileSync(join(copy, path), text.slice(0, start) + to + text.slice(start + from.length));
    const isKilled = !pass();
    writeFileSync(join(copy, path), text);
    if (isKilled) continue;
    survivors += 1;
    const [short = ''] = from.split('\n');
    console.log(`${path}:${line}  ${short.slice(0, 60)}  →  ${to.slice(0, 30)}`);
  }
  console.log(`${survivors} of ${mutants.length} survive (${found} places, SEED=${SEED})`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
