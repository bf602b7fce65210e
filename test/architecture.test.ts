import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';

/** Where the code is, and the law of what may know what: which imports, and which reach into the world. */
const root = fileURLToPath(new URL('..', import.meta.url));

interface SourceFile {
  /** From the root, like `adapters/current/form.ts`. */
  readonly path: string;
  readonly tree: ts.SourceFile;
  /** What it imports: paths from the root, or names of packages and built-in modules. */
  readonly imports: readonly string[];
}

const readSource = (path: string): SourceFile => {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  return {
    path,
    tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
    imports: imports.map((name) => (name.startsWith('.') ? join(dirname(path), name) : name)),
  };
};

const files = ['src', 'adapters']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((path) => path.endsWith('.ts'))
  .map(readSource);

const isIn = (folder: string, path: string): boolean => path.startsWith(`${folder}/`);
const forms = ['adapters/forms/current', 'adapters/forms/variant'];

/** Every node of a file's tree. */
const nodesOf = (node: ts.Node): ts.Node[] => {
  const children: ts.Node[] = [];
  node.forEachChild((child) => {
    children.push(...nodesOf(child));
  });
  return [node, ...children];
};

const isDefault = (node: ts.Node): boolean =>
  ts.isExportAssignment(node) ||
  (node.kind === ts.SyntaxKind.DefaultKeyword && ts.isStatement(node.parent)) ||
  (ts.isExportSpecifier(node) && node.name.text === 'default');

const isArgumentlessDate = (node: ts.Node): boolean =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  node.expression.getText() === 'Date' &&
  (node.arguments ?? []).length === 0;

const isAccess = (node: ts.Node, text: string): boolean =>
  ts.isPropertyAccessExpression(node) && node.getText().replaceAll(/\s|\?/g, '') === text;

/** What stands nowhere, or only in the file that is there for it. */
const prohibited: readonly (readonly [string, string | undefined, (node: ts.Node) => boolean])[] = [
  ['the environment', 'src/runtime/config.ts', (node) => isAccess(node, 'process.env')],
  ['the time', 'src/runtime/clock.ts', (node) => isAccess(node, 'Date.now') || isArgumentlessDate(node)],
  ['the type any', undefined, (node) => node.kind === ts.SyntaxKind.AnyKeyword],
  ['a default export', undefined, isDefault],
];

describe('architecture', () => {
  it('is looked at as a whole', () => {
    expect(files).to.have.length.greaterThan(40);
    expect(files.flatMap(({ imports }) => imports)).to.have.length.greaterThan(100);
  });

  it('gives every form the same six files', () => {
    const names = forms.map((form) =>
      files
        .filter(({ path }) => isIn(form, path))
        .map(({ path }) => path.slice(form.length + 1))
        .sort(),
    );
    expect(names).to.deep.equal(
      forms.map(() => ['contract.ts', 'form.ts', 'params.ts', 'present.ts', 'problems.ts', 'wire.ts']),
    );
  });

  it('has no barrels and no drawers for odds and ends', () => {
    const odd = /(^|\/)(index|utils?|helpers?|common|lib)(\.ts|\/)/;
    expect(files.map(({ path }) => path).filter((path) => odd.test(path))).to.deep.equal([]);
  });

  it('names files in kebab case', () => {
    const names = files.map(({ path }) => basename(path));
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.lua)?\.ts$/.test(name))).to.deep.equal([]);
  });

  it('has no file over 200 lines', () => {
    const long = files.filter(({ tree }) => tree.getFullText().trimEnd().split('\n').length > 200);
    expect(long.map(({ path }) => path)).to.deep.equal([]);
  });

  for (const [what, only, isMeant] of prohibited) {
    it(`has ${what} ${only === undefined ? 'nowhere' : `only in ${only}`}`, () => {
      const found = files.filter(({ tree }) => nodesOf(tree).some(isMeant)).map(({ path }) => path);
      expect(found).to.deep.equal(only === undefined ? [] : [only]);
    });
  }
});
