import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { forms } from '../adapters/forms/forms.ts';
import {
  assignedMember,
  callsOf,
  commentAbove,
  exportedNames,
  isAccess,
  isArgumentlessDate,
  isFileWrite,
  isModuleVariable,
  isText,
  isUncommentedCast,
  isUnnamedImport,
  joinedComments,
  loadedBy,
  mutableMembers,
  nodesOf,
  parseSource,
  pathsBelow,
  readSource,
  root,
  type SourceFile,
} from './support/architecture.ts';

const core = ['domain', 'ports', 'runtime', 'catalogue', 'keys', 'quota', 'usage'];
const serving = [...core, 'gateway', 'forms', 'rendering'];
const formNames = forms.map(({ name }) => `forms/${name}`);

/** Which rooms a room may import, beside itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ['domain'],
  runtime: ['domain', 'ports'],
  catalogue: ['domain', 'ports', 'runtime'],
  keys: ['domain', 'ports', 'runtime'],
  quota: ['domain', 'ports', 'runtime', 'catalogue', 'keys'],
  usage: ['domain', 'ports', 'runtime', 'catalogue', 'keys', 'quota'],
  mapping: ['domain'],
  migration: ['domain', 'ports', 'mapping', 'keys', 'quota', 'usage'],
  gateway: core,
  ...Object.fromEntries(formNames.map((form) => [form, ['domain', 'catalogue', 'forms']])),
  forms: ['domain', 'catalogue', ...formNames],
  rendering: ['domain', 'ports', 'runtime', 'forms'],
  http: serving,
  text: [],
  files: [],
  reference: ['domain', 'runtime', 'forms', 'rendering', 'http', 'text'],
  stores: [...core, 'files'],
  operator: [...core, 'stores'],
  telemetry: ['domain', 'ports', 'runtime'],
  import: [...core, 'stores', 'files'],
  contracts: ['domain', 'migration'],
  compare: [...serving, 'mapping', 'http', 'reference', 'stores', 'text', 'files', ...formNames],
};

/** Rooms that may import everything. */
const compositions = ['process', 'cli'];

/** Files of `adapters/forms` that a form may import. */
const seam = [
  'adapters/forms/form.ts',
  'adapters/forms/envelope.ts',
  'adapters/forms/form-contract.ts',
  'adapters/forms/nearest-word.ts',
  'adapters/forms/open-values.ts',
];

/** Where a package may be imported. A package that is not named here may be imported anywhere. */
const packages: Readonly<Record<string, RegExp>> = {
  koa: /^adapters\/http\//,
  '@koa/router': /^adapters\/http\//,
  mongodb: /^adapters\/stores\/mongodb\//,
  ioredis: /^adapters\/stores\/redis\//,
  'rate-limiter-flexible': /^adapters\/stores\/embedded\//,
  commander: /^tools\/cli\//,
  picocolors: /^tools\/(cli|compare\/reports)\//,
  marked: /^tools\/cli\/migration\//,
  pino: /^adapters\/telemetry\//,
  'pino-pretty': /^adapters\/telemetry\//,
  'prom-client': /^adapters\/telemetry\//,
  'lru-cache': /^(src\/runtime\/memo\.ts|adapters\/stores\/mongodb\/)/,
};

/**
 * The stores that a driver belongs to, and the files beside them that may open one: the lists of
 * stores.
 */
const storesWithDrivers = /^adapters\/stores\/(mongodb|redis)\//;
const opensStores = /^adapters\/stores\/[^/]+\.ts$/;

const moduleOf = (path: string): string => {
  const inner = /^(?:adapters\/(forms\/[^/]+)|tools\/migration\/(mapping))\//.exec(path);
  return inner?.[1] ?? inner?.[2] ?? path.split('/')[1]?.replace(/\.ts$/, '') ?? path;
};

const where = (files: readonly SourceFile[], isBreach: (file: SourceFile) => boolean): string[] =>
  files.filter(isBreach).map(({ path }) => path);

const importBreaches = (
  files: readonly SourceFile[],
  isBreach: (imported: string, path: string) => boolean,
): string[] =>
  files.flatMap(({ path, imports }) =>
    imports
      .filter((imported) => isBreach(imported, path))
      .map((imported) => `${path} imports ${imported}`),
  );

/** Files outside `allowed` that contain such a node. */
const nodeBreaches = (
  files: readonly SourceFile[],
  isFound: (node: ReturnType<typeof nodesOf>[number], file: SourceFile) => boolean,
  allowed = /^$/,
): string[] =>
  where(
    files,
    (file) => !allowed.test(file.path) && nodesOf(file.tree).some((node) => isFound(node, file)),
  );

const duplicateNames = (files: readonly SourceFile[]): string[] => {
  const rooms = new Map<string, Set<string>>();
  for (const file of files.filter(({ path }) => !/^adapters\/(forms|stores)\//.test(path))) {
    for (const name of exportedNames(file))
      rooms.set(name, (rooms.get(name) ?? new Set()).add(moduleOf(file.path)));
  }
  return [...rooms]
    .filter(([, of]) => of.size > 1)
    .map(([name, of]) => `${name} in ${[...of].join(' and ')}`);
};

const crowdedFolders = (files: readonly SourceFile[]): string[] => {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > 20 || folder.split('/').length > 3)
    .map(([folder]) => folder);
};

const memos = ['weakMemo', 'scopedLru', 'byteLru'];
const statesItsBounds = /Bound: .+; key: .+; lifetime: /;

/**
 * The rules, each with a breach that it must find. Biome has those that it knows: `any`, default
 * exports, circles, `process.env`, barrels, names of files.
 */
type Rule = readonly [
  string,
  (files: readonly SourceFile[]) => string[],
  ...(readonly [path: string, text: string])[],
];
const rules: readonly Rule[] = [
  [
    'keeps no loose files in src, adapters and tools',
    (files) =>
      where(
        files,
        ({ path }) => path.split('/').length === 2 && !/^src\/(gateway|ports)\.ts$/.test(path),
      ),
    ['adapters/render.ts', ''],
  ],
  [
    'lets nothing that serves import what never serves, types and `import()` included',
    (files) => [
      ...importBreaches(
        files.filter(({ path }) => !path.startsWith('tools/')),
        (imported) => imported.endsWith('.ts') && !/^(src|adapters)\//.test(imported),
      ).map((breach) => `${breach}: move what both houses need to src or adapters`),
      ...importBreaches(files, (imported) => imported.startsWith('scripts/')),
      ...nodeBreaches(files, isUnnamedImport).map((path) => `${path}: name what import() loads`),
    ],
    [
      'src/keys/pinning.ts',
      "import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';",
    ],
    [
      'adapters/process/serve.ts',
      "export const load = () => import('../../tools/compare/run.ts');",
    ],
    [
      'adapters/http/answer-cache.ts',
      "export type Run = import('../../tools/compare/run.ts').CaseRunner;",
    ],
    ['adapters/http/app.ts', "export { compare } from '../../tools/compare/run.ts';"],
    ['adapters/process/start.ts', "import '../../tools/cli/artist-gateway.ts';"],
    ['src/gateway.ts', 'export const load = (path: string) => import(path);'],
    ['tools/cli/contracts/check.ts', "import { makeSite } from '../../../scripts/site.ts';"],
  ],
  [
    'lets rooms import downwards only, and nothing in src an adapter',
    (files) =>
      importBreaches(files, (imported, path) => {
        const room = moduleOf(path);
        const allowed = [room, ...(mayImport[room] ?? [])];
        return (
          /^(src|adapters|tools)\//.test(imported) &&
          !compositions.includes(room) &&
          !allowed.includes(moduleOf(imported))
        );
      }),
    ['src/quota/quota.ts', "import { forms } from '../../adapters/forms/forms.ts';"],
  ],
  [
    'lets nothing import a store with a driver but itself and the lists of stores',
    (files) =>
      importBreaches(
        files,
        (imported, path) =>
          storesWithDrivers.test(imported) &&
          storesWithDrivers.exec(path)?.[1] !== storesWithDrivers.exec(imported)?.[1] &&
          !opensStores.test(path),
      ),
    [
      'tools/cli/keys/list.ts',
      "import { openMongo } from '../../../adapters/stores/mongodb/connection.ts';",
    ],
  ],
  [
    'lets a form import itself, the seam, the core and zod only',
    (files) =>
      importBreaches(
        files.filter(({ path }) => formNames.includes(moduleOf(path))),
        (imported, path) =>
          moduleOf(imported) !== moduleOf(path) &&
          !seam.includes(imported) &&
          imported !== 'zod' &&
          !/^src\/(domain|catalogue)\//.test(imported),
      ),
    ['adapters/forms/current/present.ts', "import { createHash } from 'node:crypto';"],
  ],
  [
    'lets a package be imported in its room only',
    (files) =>
      importBreaches(files, (imported, path) => {
        const name = imported.split('/', imported.startsWith('@') ? 2 : 1).join('/');
        return packages[name] !== undefined && !packages[name].test(path);
      }),
    ['src/catalogue/catalogue.ts', "import { LRUCache } from 'lru-cache';"],
  ],
  [
    'names the forms only where code distinguishes them',
    (files) =>
      nodeBreaches(
        files,
        (node) => isText(node, ['current', 'variant']),
        /^(src\/domain\/caller\.ts|adapters\/forms\/|tools\/(migration|compare)\/)/,
      ),
    ['src/keys/pinning.ts', "export const isPinned = (form: string) => form === 'variant';"],
  ],
  [
    'makes every cache with a primitive of runtime/memo.ts, under a line that states bound, key and lifetime',
    (files) =>
      files
        .filter(({ path }) => path !== 'src/runtime/memo.ts')
        .flatMap((file) =>
          callsOf(file, memos)
            .filter((call) => !statesItsBounds.test(commentAbove(file, call)))
            .map((call) => `${file.path}: ${call.getText().slice(0, 40)}`),
        ),
    ['src/catalogue/labels.ts', 'const labels = weakMemo<object, string>();'],
  ],
  [
    'lets only the pipeline assign to the context of a request',
    (files) => {
      const context = files.find(({ path }) => path === 'adapters/http/request-context.ts');
      const members = context === undefined ? [] : mutableMembers(context, 'RequestContext');
      const inHttp = files.filter(({ path }) => path.startsWith('adapters/http/'));
      return nodeBreaches(
        inHttp,
        (node) => members.includes(assignedMember(node) ?? ''),
        /pipeline\.ts$/,
      );
    },
    ['adapters/http/answer-cache.ts', 'request.adjusted = [];'],
  ],
  [
    'exports no name from two rooms, forms and stores excepted',
    duplicateNames,
    ['src/domain/lists.ts', 'export const assembleGateway = 1;'],
  ],
  [
    'writes files in adapters/files/own-file.ts only, where links and the rights of others are looked at',
    (files) => nodeBreaches(files, isFileWrite, /^adapters\/files\/own-file\.ts$/),
    ['tools/cli/migration/guide.ts', "import { writeFile } from 'node:fs/promises';"],
  ],
  [
    'reads the time in runtime/clock.ts only',
    (files) =>
      nodeBreaches(
        files,
        (node) => isAccess(node, 'Date.now') || isArgumentlessDate(node),
        /^src\/runtime\/clock\.ts$/,
      ),
    ['src/quota/quota.ts', 'export const today = new Date();'],
  ],
  [
    'casts under a comment only',
    (files) => nodeBreaches(files, (node, file) => isUncommentedCast(file, node)),
    ['src/domain/day.ts', 'export const parse = (text: string) =>\n  text as Day;'],
  ],
  [
    'has no variables of a module',
    (files) => nodeBreaches(files, isModuleVariable),
    ['src/domain/day.ts', 'let today = 1;'],
  ],
  [
    'has no barrels and no folders or names for odds and ends',
    (files) =>
      where(
        files,
        (file) =>
          /(^|\/)(index|utils?|helpers?|common|lib)(\.ts|\/)/.test(file.path) ||
          exportedNames(file).some((name) =>
            /(Service|Manager|Helper|Impl)$|^I[A-Z][a-z]/.test(name),
          ),
      ),
    ['src/domain/index.ts', ''],
  ],
  [
    'has at most 20 files in a folder, and one level of folders in a room',
    crowdedFolders,
    ['tools/cli/keys/list/list.ts', ''],
  ],
];

const files = ['src', 'adapters', 'tools'].flatMap(pathsBelow).map(readSource);

/** The rules of the programs that partners run, which no rule above reads. */
const partnerRules: readonly Rule[] = [
  [
    'lets no other folder import partners',
    (all) =>
      importBreaches(
        all.filter(({ path }) => !path.startsWith('partners/')),
        (imported) => imported.startsWith('partners/'),
      ),
    [
      'tools/cli/letter/letter.ts',
      "import { fields } from '../../../partners/gateway/without.ts';",
    ],
  ],
  [
    'lets partners/gateway import the serving folders, partners/shared, zod and Node.js only',
    (all) =>
      importBreaches(
        all.filter(({ path }) => path.startsWith('partners/gateway/')),
        (imported) =>
          !/^(src|adapters|partners\/(gateway|shared))\/|^(zod$|node:)/.test(imported) ||
          storesWithDrivers.test(imported),
      ),
    [
      'partners/gateway/serve.ts',
      "import { readCases } from '../../tools/compare/cases/cases.ts';",
    ],
    ['partners/gateway/local.ts', "import Koa from 'koa';"],
  ],
];
const partnerFiles = pathsBelow('partners/gateway').map(readSource);

describe('architecture', () => {
  const ruled = [
    ...rules.map((rule) => [rule, files] as const),
    ...partnerRules.map((rule) => [rule, [...files, ...partnerFiles]] as const),
  ];
  for (const [[title, breaches, ...planted], all] of ruled) {
    it(title, () => {
      expect(breaches(all)).to.deep.equal([]);
      expect(planted).to.not.be.empty;
      for (const [path, text] of planted) {
        const others = all.filter((file) => file.path !== path);
        expect(breaches([...others, parseSource(path, text)]), `the planted breach ${text}`).to.not
          .be.empty;
      }
    });
  }

  it('loads at most 44 files to answer a request, without the forms and the catalogue', () => {
    const loaded = loadedBy('adapters/http/app.ts', files);
    expect(loaded).to.include('adapters/http/pipeline.ts');
    expect(loaded.length, loaded.join('\n')).to.be.at.most(44);
  });

  it('loads at most 100 files to revoke a key', () => {
    const loaded = new Set(
      [
        ...['artist-gateway.ts', 'main.ts', 'keys/revoke.ts'].map((path) => `tools/cli/${path}`),
        'adapters/stores/mongodb/database.ts',
      ].flatMap((path) => loadedBy(path, files)),
    );
    expect(loaded).to.include('adapters/stores/mongodb/keys.ts');
    expect(loaded.size, [...loaded].join('\n')).to.be.at.most(100);
  });

  it('gives every form the same six files', () => {
    const six = ['contract.ts', 'form.ts', 'params.ts', 'present.ts', 'problems.ts', 'wire.ts'];
    for (const form of formNames)
      expect(readdirSync(join(root, 'adapters', form)).sort(), form).to.deep.equal(six);
  });

  it('cites only sections of docs/decisions.md that exist', () => {
    const sections = readFileSync(join(root, 'docs/decisions.md'), 'utf8').matchAll(/^## (.+)$/gm);
    const known = new Set([...sections].map(([, title]) => title));
    const cited = files.flatMap((file) =>
      [...joinedComments(file).matchAll(/decisions, "([^"]+)"/g)].map(([, title]) => title),
    );
    expect(cited).to.not.be.empty;
    expect(cited.filter((title) => !known.has(title))).to.deep.equal([]);
  });

  it('sends HTTP requests only from the comparison', () => {
    const sending = files.filter(({ tree }) =>
      /\bfetch\(|\brequest\(\{|from 'node:(https|http2|net|tls|dgram)'/.test(tree.getFullText()),
    );
    // the lock of a folder is a socket in it
    const allowed = /^(tools\/compare\/|adapters\/files\/folder-lock\.ts$)/;
    expect(sending.map(({ path }) => path).filter((path) => !allowed.test(path))).to.deep.equal([]);
    expect(sending).to.not.be.empty;
  });

  it('names test folders after rooms, and keeps helpers in test/support', () => {
    const more = ['faults', 'mongodb', 'partners', 'deploy', 'support'];
    const rooms = new Set([...files.map(({ path }) => path.split('/')[1]), ...more]);
    const folders = readdirSync(join(root, 'test'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.map(({ name }) => name).filter((name) => !rooms.has(name))).to.deep.equal([]);
    const tests = pathsBelow('test').filter((path) => !path.startsWith('test/support/'));
    expect(tests.filter((path) => !/\.(test|conformance)\.ts$/.test(path))).to.deep.equal([]);
    expect(existsSync(join(root, 'scripts'))).to.equal(true);
  });
});
