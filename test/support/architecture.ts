import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A source file. It is parsed when its tree is first asked for. */
export interface SourceFile {
  /** From the root, like `adapters/forms/current/form.ts`. */
  readonly path: string;
  readonly tree: ts.SourceFile;
  /** Paths from the root, or names of packages and built-in modules. */
  readonly imports: readonly string[];
}

export const parseSource = (path: string, text: string): SourceFile => {
  let tree: ts.SourceFile | undefined;
  return {
    path,
    get tree() {
      tree ??= ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      return tree;
    },
    imports: ts
      .preProcessFile(text, true, true)
      .importedFiles.map(({ fileName }) =>
        fileName.startsWith('.') ? join(dirname(path), fileName) : fileName,
      ),
  };
};

/** Paths from the root of all TypeScript files below a folder. */
export const pathsBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts'));

export const readSource = (path: string): SourceFile =>
  parseSource(path, readFileSync(join(root, path), 'utf8'));

/** Every node of a tree. */
export const nodesOf = (node: ts.Node): ts.Node[] => {
  const nodes: ts.Node[] = [node];
  node.forEachChild((child) => {
    nodes.push(...nodesOf(child));
  });
  return nodes;
};

const lineOf = (node: ts.Node, position: number): number =>
  node.getSourceFile().getLineAndCharacterOfPosition(position).line;

/** Between two lines of a comment, also after they were joined by a blank. */
const commentLineEnd = /\s+(?:\/\/|\*)(?= )\s*/g;

/**
 * A file's text with the lines of each comment joined, so that a phrase is found wherever it was
 * broken.
 */
export const joinedComments = ({ tree }: SourceFile): string =>
  tree.getFullText().replaceAll(commentLineEnd, ' ');

const linesOf = ({ tree }: SourceFile): string[] => tree.getFullText().split('\n');

/** Names that a file exports by declaring them. */
export const exportedNames = ({ tree }: SourceFile): string[] =>
  tree.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    }
    return ts.isDeclarationStatement(statement) && statement.name !== undefined
      ? [statement.name.getText()]
      : [];
  });

export const isArgumentlessDate = (node: ts.Node): boolean =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  node.expression.getText() === 'Date' &&
  (node.arguments ?? []).length === 0;

/** Whether a node is the property access `text`, however it is written. */
export const isAccess = (node: ts.Node, text: string): boolean =>
  ts.isPropertyAccessExpression(node) && node.getText().replaceAll(/\s|\?/g, '') === text;

const writes =
  /^(writeFile|appendFile|createWriteStream|rename|mkdir|mkdtemp|copyFile|cp|symlink|link|truncate)(Sync)?$/;

/**
 * Whether a node imports a function that writes to the file system, or opens a file to be written.
 */
export const isFileWrite = (node: ts.Node): boolean => {
  if (ts.isImportSpecifier(node)) {
    const from = node.parent.parent.parent.moduleSpecifier;
    return (
      isText(from, ['node:fs', 'node:fs/promises']) &&
      writes.test((node.propertyName ?? node.name).text)
    );
  }
  if (!ts.isCallExpression(node) || !/^open(Sync)?$/.test(node.expression.getText())) return false;
  const [, flags] = node.arguments;
  return flags !== undefined && ts.isStringLiteral(flags) && !/^rs?$/.test(flags.text);
};

/** A string of exactly this text, not the name of a property. */
export const isText = (node: ts.Node, texts: readonly string[]): boolean =>
  ts.isStringLiteralLike(node) &&
  texts.includes(node.text) &&
  !ts.isPropertyAssignment(node.parent);

/** Whether a node imports what its text does not name: `import(path)`. */
export const isUnnamedImport = (node: ts.Node): boolean =>
  ts.isCallExpression(node) &&
  node.expression.kind === ts.SyntaxKind.ImportKeyword &&
  node.arguments[0]?.kind !== ts.SyntaxKind.StringLiteral;

/** A cast without a comment in the three lines before its end. `as const` is none. */
export const isUncommentedCast = (file: SourceFile, node: ts.Node): boolean => {
  if (!ts.isAsExpression(node) || node.type.getText() === 'const') return false;
  const line = lineOf(node, node.end);
  return !linesOf(file)
    .slice(Math.max(0, line - 3), line + 1)
    .some((text) => /\/\/|^\s*\*|\/\*\*/.test(text));
};

/** An assignment to a member of something, as `request.route = route`: the name of the member. */
export const assignedMember = (node: ts.Node): string | undefined => {
  const target =
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
      ? node.left
      : ts.isDeleteExpression(node)
        ? node.expression
        : undefined;
  return target !== undefined && ts.isPropertyAccessExpression(target)
    ? target.name.text
    : undefined;
};

/** Members of an interface that are not readonly. */
export const mutableMembers = ({ tree }: SourceFile, name: string): string[] =>
  tree.statements
    .filter((statement) => ts.isInterfaceDeclaration(statement))
    .filter((declaration) => declaration.name.text === name)
    .flatMap(({ members }) => [...members])
    .filter((member) => ts.isPropertySignature(member))
    .filter(
      ({ modifiers }) => !modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword),
    )
    .map((member) => member.name.getText());

/** A variable of the module that can be assigned to. */
export const isModuleVariable = (node: ts.Node): boolean =>
  ts.isVariableStatement(node) &&
  ts.isSourceFile(node.parent) &&
  (node.declarationList.flags & ts.NodeFlags.Const) === 0;

/** Calls of one of these functions. */
export const callsOf = ({ tree }: SourceFile, names: readonly string[]): ts.CallExpression[] =>
  nodesOf(tree)
    .filter((node) => ts.isCallExpression(node))
    .filter(({ expression }) => names.includes(expression.getText()));

/** The comment above the statement or declaration that contains a node. */
export const commentAbove = (file: SourceFile, node: ts.Node): string => {
  const lines = linesOf(file);
  const comment: string[] = [];
  for (let line = lineOf(node, node.getStart()) - 1; line >= 0; line -= 1) {
    const text = lines[line]?.trim() ?? '';
    if (/^(\/\/|\/\*|\*)/.test(text)) comment.unshift(text);
    else if (comment.length > 0 || text === '') break;
    else if (!/[=({:,?>]$/.test(text)) break;
  }
  return comment.join(' ').replaceAll(commentLineEnd, ' ');
};

/** The files that a file loads, itself included: its imports and theirs, but no types. */
export const loadedBy = (path: string, files: readonly SourceFile[]): readonly string[] => {
  const loaded = new Set([path]);
  for (const one of loaded) {
    const file = files.find((known) => known.path === one);
    for (const statement of file?.tree.statements ?? []) {
      if (!ts.isImportDeclaration(statement) || statement.importClause?.isTypeOnly) continue;
      const imported = join(dirname(one), statement.moduleSpecifier.getText().slice(1, -1));
      if (files.some((known) => known.path === imported)) loaded.add(imported);
    }
  }
  return [...loaded];
};
