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

const stores = ['adapters/mongodb', 'adapters/redis', 'adapters/embedded'];
const isIn = (folder: string, path: string): boolean => path.startsWith(`${folder}/`);
const storeOf = (path: string): string | undefined => stores.find((folder) => isIn(folder, path));

/** The pages that partners read. */
const reference = 'adapters/reference';

/** Any other folder in `adapters/` is a form. */
const formOf = (path: string): string | undefined =>
  /^adapters\/[^/]+(?=\/)/.exec(path)?.find((folder) => ![...stores, reference].includes(folder));
const forms = [...new Set(files.map(({ path }) => formOf(path)).filter((folder) => folder !== undefined))];

/** The composition: everything in `src/` that may know an adapter. */
const isComposition = (path: string): boolean => /^src\/(app\.ts|main\.ts|cli\/|compare\/)/.test(path);
const isCore = (path: string): boolean => isIn('src', path) && !isComposition(path);

const storeMayImport = new Set([
  ...['ports', 'model', 'caller', 'problem', 'quota', 'usage', 'day', 'turns', 'key-text'].map(
    (name) => `src/${name}.ts`,
  ),
  ...['adapters/documents.ts', 'adapters/sharing.ts', 'adapters/key-documents.ts', 'zod'],
]);
const drivers: Readonly<Record<string, readonly string[]>> = {
  'adapters/mongodb': ['mongodb', 'lru-cache'],
  'adapters/redis': ['ioredis', 'rate-limiter-flexible'],
  'adapters/embedded': ['rate-limiter-flexible'],
};

/** Who may import what. Each rule: whom it binds, and what these may import. */
const laws: readonly (readonly [string, (path: string) => boolean, (imported: string, path: string) => boolean])[] = [
  ['lets the core import no adapter', isCore, (imported) => !isIn('adapters', imported)],
  ['lets the core import nothing of the composition', isCore, (imported) => !isComposition(imported)],
  [
    'lets a form import only itself, the contract of forms, the core and zod',
    (path) => formOf(path) !== undefined,
    (imported, path) =>
      ['adapters/form.ts', 'zod'].includes(imported) || isCore(imported) || formOf(imported) === formOf(path),
  ],
  [
    'lets a store import only itself, models and ports, how documents become models, and its driver',
    (path) => storeOf(path) !== undefined,
    (imported, path) =>
      storeMayImport.has(imported) ||
      imported.startsWith('node:') ||
      storeOf(imported) === storeOf(path) ||
      (drivers[storeOf(path) ?? ''] ?? []).includes(imported),
  ],
  [
    'lets the reference import only itself, contracts, how Markdown becomes HTML, and what it needs to read files',
    (path) => isIn(reference, path),
    (imported) =>
      isIn(reference, imported) ||
      /^adapters\/(contract|form|golden|openapi)\.ts$/.test(imported) ||
      ['zod-openapi', 'marked', 'node:crypto', 'node:fs', 'node:path'].includes(imported),
  ],
  [
    'lets only the application, the pipeline and the operations know Koa',
    (path) => !['src/app.ts', 'adapters/http.ts', 'adapters/operations.ts'].includes(path),
    (imported) => !/^koa(-|\/|$)|^@koa\//.test(imported),
  ],
  [
    'lets only the pipeline know the router',
    (path) => path !== 'adapters/http.ts',
    (imported) => imported !== '@koa/router',
  ],
];

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
  ['the environment', 'src/config.ts', (node) => isAccess(node, 'process.env')],
  ['the time', 'src/clock.ts', (node) => isAccess(node, 'Date.now') || isArgumentlessDate(node)],
  ['the type any', undefined, (node) => node.kind === ts.SyntaxKind.AnyKeyword],
  ['a default export', undefined, isDefault],
];

describe('architecture', () => {
  it('is looked at as a whole', () => {
    expect(files).to.have.length.greaterThan(40);
    expect(files.flatMap(({ imports }) => imports)).to.have.length.greaterThan(100);
    expect(new Set(files.map(({ path }) => storeOf(path))).size).to.equal(stores.length + 1);
    expect(forms).to.include.members(['adapters/current', 'adapters/variant']);
  });

  for (const [title, isBound, mayImport] of laws) {
    it(title, () => {
      const bound = files.filter(({ path }) => isBound(path));
      const broken = bound.flatMap(({ path, imports }) =>
        imports.filter((imported) => !mayImport(imported, path)).map((imported) => `${path} imports ${imported}`),
      );
      expect(broken).to.deep.equal([]);
      expect(bound).to.not.have.lengthOf(0);
    });
  }

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
