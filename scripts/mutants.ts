import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { createRandom } from '../test/support/nemesis/random.ts';

/**
 * Changes one place of the sources at a time and runs tests against each change. A test that fails
 * kills the mutant; mutants that survive are printed: what they change is not tested.
 *
 *     COUNT=40 SEED=1 npm run mutants -- src/quota 'test/quota/*.test.ts'
 *
 * The first argument is a folder or file, the others are tests. It works on a copy of the working
 * tree. Tests that start the built gateway do not see mutants.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
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
  /** Where `from` begins in the file. */
  readonly start: number;
}

const operators: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '&&': '||', '||': '&&', '??': '&&', '+': '-', '-': '+' },
};
const chains = ['filter', 'toSorted', 'slice', 'toReversed', 'trim'];

/** The replacements of a node, each with the part that it replaces. */
const changesOf = (node: ts.Node): (readonly [replaced: ts.Node, to: string])[] => {
  if (ts.isBinaryExpression(node)) {
    const { operatorToken } = node;
    const to = operators[operatorToken.getText()];
    const joinsTexts =
      operatorToken.kind === ts.SyntaxKind.PlusToken && /['"`]/.test(node.getText());
    return to === undefined || joinsTexts ? [] : [[operatorToken, to]];
  }
  if (ts.isIfStatement(node)) return [[node.expression, random() < 0.5 ? 'false' : 'true']];
  if (ts.isConditionalExpression(node)) return [[node.condition, `!(${node.condition.getText()})`]];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [[node, node.operand.getText()]];
  if (ts.isNumericLiteral(node) && !ts.isPropertyAssignment(node.parent))
    return [[node, String(Number(node.text) + 1)]];
  if (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression)) return [[node, ';']];
  if (ts.isLiteralTypeNode(node.parent)) return [];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']];
  if (ts.isSpreadAssignment(node)) return [[node, '...{}']];
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    chains.includes(node.expression.name.text)
  )
    return [[node, node.expression.expression.getText()]];
  return [];
};

const mutantsOf = (path: string): Mutant[] => {
  const text = readFileSync(join(root, path), 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node))
      return;
    for (const [replaced, to] of changesOf(node)) {
      const start = replaced.getStart();
      const line = file.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ path, line, from: replaced.getText(), to, start });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return found;
};

const paths = statSync(join(root, source)).isFile()
  ? [source]
  : readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(source, name));
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
