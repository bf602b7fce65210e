import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { forms } from '../adapters/forms/forms.ts';
import {
  parseSource,
  pathsBelow,
  readSource,
  root,
  type SourceFile,
  withoutTexts,
} from './support/architecture.ts';

const core = ['domain', 'ports', 'runtime', 'catalogue', 'keys', 'quota', 'usage'];
const serving = [...core, 'gateway', 'forms', 'rendering'];
const formNames = forms.map(({ name }) => `forms/${name}`);

/** Which modules a module may import, in addition to itself. */
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
  telemetry: ['domain', 'ports', 'runtime', 'keys'],
  import: [...core, 'stores', 'files'],
  contracts: ['domain', 'migration'],
  compare: [...serving, 'mapping', 'http', 'reference', 'stores', 'text', 'files', ...formNames],
};

/** Modules that may import everything. */
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
  marked: /^(adapters\/text|tools\/cli\/migration)\//,
  pino: /^adapters\/telemetry\//,
  'pino-pretty': /^adapters\/telemetry\//,
  'prom-client': /^adapters\/telemetry\//,
  'lru-cache': /^(src\/runtime\/memo\.ts|adapters\/stores\/mongodb\/)/,
};

/**
 * Stores with a driver, and the lists of stores, which may open them.
 */
const storesWithDrivers = /^adapters\/stores\/(mongodb|redis)\//;
const opensStores = /^adapters\/stores\/[^/]+\.ts$/;

const moduleOf = (path: string): string => {
  const inner = /^(?:adapters\/(forms\/[^/]+)|tools\/migration\/(mapping))\//.exec(path);
  return inner?.[1] ?? inner?.[2] ?? path.split('/')[1]?.replace(/\.ts$/, '') ?? path;
};

type Breaches = (files: readonly SourceFile[]) => readonly string[];

/** Each import that a rule forbids, in files whose path matches. */
const importing =
  (isBreach: (imported: string, path: string) => boolean, paths = /^/): Breaches =>
  (files) =>
    files
      .filter(({ path }) => paths.test(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter((imported) => isBreach(imported, path))
          .map((imported) => `${path} imports ${imported}`),
      );

/** Files that match a pattern outside of comments, except those whose path is allowed. */
const containing =
  (pattern: RegExp, allowed = /^$/): Breaches =>
  (files) =>
    files
      .filter(({ path, code }) => !allowed.test(path) && pattern.test(code))
      .map(({ path }) => path);

const at =
  (isBreach: (path: string) => boolean): Breaches =>
  (files) =>
    files.map(({ path }) => path).filter(isBreach);

const all =
  (...parts: readonly Breaches[]): Breaches =>
  (files) =>
    parts.flatMap((breaches) => breaches(files));

/** Names that a file exports by declaring them. */
const exportedNames = ({ code }: SourceFile): string[] =>
  [...code.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  );

const duplicateNames: Breaches = (files) => {
  const modules = new Map<string, Set<string>>();
  for (const file of files.filter(({ path }) => !/^adapters\/(forms|stores)\//.test(path))) {
    for (const name of exportedNames(file))
      modules.set(name, (modules.get(name) ?? new Set()).add(moduleOf(file.path)));
  }
  return [...modules]
    .filter(([, of]) => of.size > 1)
    .map(([name, of]) => `${name} in ${[...of].join(' and ')}`);
};

const crowdedFolders: Breaches = (files) => {
  const folders = files.map(({ path }) => dirname(path));
  return folders.filter(
    (folder) => folders.filter((one) => one === folder).length > 20 || folder.split('/').length > 3,
  );
};

/** Joins the lines of each comment, so that a phrase is found even if it is broken. */
const joinedComments = (text: string): string => text.replaceAll(/\s+(?:\/\/|\*)(?= )\s*/g, ' ');

/** The comment above the statement that contains a place. */
const commentAbove = ({ text }: SourceFile, place: number): string => {
  const lines = text.slice(0, place).split('\n').slice(0, -1);
  const comment: string[] = [];
  for (const line of lines.reverse().map((one) => one.trim())) {
    if (/^(\/\/|\/\*|\*)/.test(line)) comment.unshift(line);
    else if (comment.length > 0 || !/[=({:,?>]$/.test(line)) break;
  }
  return joinedComments(comment.join('\n'));
};

const cachesWithoutBounds: Breaches = (files) =>
  files
    .filter(({ path }) => path !== 'src/runtime/memo.ts')
    .flatMap((file) =>
      [...file.code.matchAll(/\b(?:weakMemo|scopedLru|byteLru)(?=[<(])/g)]
        .filter(({ index }) => !/Bound: .+; key: .+; lifetime: /.test(commentAbove(file, index)))
        .map(([call]) => `${file.path}: ${call}`),
    );

/** Assignments to fields of the request context that are not readonly. */
const contextAssignments: Breaches = (files) => {
  const { code = '' } = files.find(({ path }) => path === 'adapters/http/request-context.ts') ?? {};
  const [, body = ''] = /^export interface RequestContext \{\n(.*?)^\}/ms.exec(code) ?? [];
  const names = [...body.matchAll(/^ {2}(?!readonly )(\w+)\??:/gm)].map(([, name]) => name);
  const assigned = new RegExp(`\\.(?:${names.join('|')})(?: [-+*/%&|?<>^]*= |;)`);
  const http = files.filter(({ path }) => path.startsWith('adapters/http/'));
  return containing(names.length === 0 ? /^/ : assigned, /pipeline\.ts$/)(http);
};

/** Casts without a comment in the three lines before. */
const uncommentedCasts: Breaches = (files) =>
  files.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    const code = withoutTexts(text).replaceAll(/^(?:import|export) [^;]*? from /gm, (imported) =>
      imported.replaceAll(' as ', '    '),
    );
    return [...code.matchAll(/[\s)\]}]as (?!const\b)/g)]
      .map(({ index }) => code.slice(0, index + 1).split('\n').length)
      .filter(
        (line) => !/\/\/|^\s*\*|\/\*\*/m.test(lines.slice(Math.max(0, line - 4), line).join('\n')),
      )
      .map((line) => `${path}:${line}`);
  });

const fileWrites = all(
  containing(
    /import \{[^}]*\b(?:writeFile|appendFile|createWriteStream|rename|mkdir|mkdtemp|copyFile|cp|symlink|link|truncate)(?:Sync)?\b[^}]*\} from 'node:fs(?:\/promises)?'/,
    /^adapters\/files\/own-file\.ts$/,
  ),
  containing(/(?<![.\w])open(?:Sync)?\([^;]*?, '(?!rs?')/, /^adapters\/files\/own-file\.ts$/),
);

/**
 * The rules, each with a breach that it must find. Biome has those that it knows: `any`, default
 * exports, circles, `process.env`, barrels, names of files.
 */
type Rule = readonly [string, Breaches, ...(readonly [path: string, text: string])[]];
const rules: readonly Rule[] = [
  [
    'keeps no loose files in src, adapters and tools',
    at((path) => path.split('/').length === 2 && !/^src\/(gateway|ports)\.ts$/.test(path)),
    ['adapters/render.ts', ''],
  ],
  [
    'lets serving modules import only serving modules, even as types or by `import()`',
    all(
      importing(
        (imported) => imported.endsWith('.ts') && !/^(src|adapters)\//.test(imported),
        /^(src|adapters)\//,
      ),
      importing((imported) => imported.startsWith('scripts/')),
      containing(/\bimport\((?!\s*')/),
    ),
    [
      'src/keys/pinning.ts',
      "import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';",
    ],
    [
      'adapters/process/serve.ts',
      "export const load = () => import('../../tools/compare/run.ts');",
    ],
    [
      'adapters/http/result-cache.ts',
      "export type Run = import('../../tools/compare/run.ts').CaseRunner;",
    ],
    ['adapters/http/app.ts', "export { compare } from '../../tools/compare/run.ts';"],
    ['adapters/process/start.ts', "import '../../tools/cli/artist-gateway.ts';"],
    ['src/gateway.ts', 'export const load = (path: string) => import(path);'],
    ['tools/cli/contracts/check.ts', "import { makeSite } from '../../../scripts/site.ts';"],
  ],
  [
    'lets modules import only modules below them, and src no adapter',
    importing((imported, path) => {
      const own = moduleOf(path);
      return (
        /^(src|adapters|tools)\//.test(imported) &&
        !compositions.includes(own) &&
        ![own, ...(mayImport[own] ?? [])].includes(moduleOf(imported))
      );
    }),
    ['src/quota/quota.ts', "import { forms } from '../../adapters/forms/forms.ts';"],
  ],
  [
    'lets only lists of stores import stores with a driver',
    importing(
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
    'lets a form import only itself, the seam, the core and zod',
    importing(
      (imported, path) =>
        moduleOf(imported) !== moduleOf(path) &&
        !seam.includes(imported) &&
        imported !== 'zod' &&
        !/^src\/(domain|catalogue)\//.test(imported),
      /^adapters\/forms\/[^/]+\//,
    ),
    ['adapters/forms/current/present.ts', "import { createHash } from 'node:crypto';"],
  ],
  [
    'lets a package be imported only in its module',
    importing((imported, path) => {
      const name = imported.split('/', imported.startsWith('@') ? 2 : 1).join('/');
      return packages[name] !== undefined && !packages[name].test(path);
    }),
    ['src/catalogue/catalogue.ts', "import { LRUCache } from 'lru-cache';"],
  ],
  [
    'names the forms only where code distinguishes them',
    containing(
      /(?<!\w: )'(?:current|variant)'/,
      /^(src\/domain\/caller\.ts|adapters\/forms\/|tools\/(migration|compare)\/)/,
    ),
    ['src/keys/pinning.ts', "export const isPinned = (form: string) => form === 'variant';"],
  ],
  [
    'makes caches with runtime/memo.ts, under a comment with bound, key and lifetime',
    cachesWithoutBounds,
    ['src/catalogue/labels.ts', 'const labels = weakMemo<object, string>();'],
  ],
  [
    'lets only the pipeline assign to the request context',
    contextAssignments,
    ['adapters/http/result-cache.ts', 'request.adjusted = [];'],
    ['adapters/http/result-cache.ts', 'delete request.adjusted;'],
  ],
  [
    'exports a name from one module only, except from forms and stores',
    duplicateNames,
    ['src/domain/lists.ts', 'export const assembleGateway = 1;'],
  ],
  [
    'writes files only in adapters/files/own-file.ts, which checks links and permissions',
    fileWrites,
    ['tools/cli/migration/guide.ts', "import { writeFile } from 'node:fs/promises';"],
    ['tools/cli/migration/guide.ts', "const file = await open(path, 'w');"],
  ],
  [
    'reads the time only in runtime/clock.ts',
    containing(/\bDate\.now\b|\bDate\(\)/, /^src\/runtime\/clock\.ts$/),
    ['src/quota/quota.ts', 'export const today = new Date();'],
    ['src/quota/quota.ts', 'export const today = Date.now();'],
  ],
  [
    'casts only under a comment',
    uncommentedCasts,
    ['src/domain/day.ts', 'export const parse = (text: string) =>\n  text as Day;'],
  ],
  [
    'declares no variables in modules',
    containing(/^(?:export )?(?:let|var) /m),
    ['src/domain/day.ts', 'let today = 1;'],
  ],
  [
    'has no barrels and no folders or names for odds and ends',
    all(
      at((path) => /(^|\/)(index|utils?|helpers?|common|lib)(\.ts|\/)/.test(path)),
      (files) =>
        files
          .flatMap(exportedNames)
          .filter((name) => /(Service|Manager|Helper|Impl)$|^I[A-Z][a-z]/.test(name)),
    ),
    ['src/domain/index.ts', ''],
    ['src/domain/day.ts', 'export class DayService {}'],
  ],
  [
    'has at most 20 files in a folder, and one level of folders in a module',
    crowdedFolders,
    ['tools/cli/keys/list/list.ts', ''],
  ],
];

/** Rules of the programs that partners run. No rule above reads these programs. */
const partnerRules: readonly Rule[] = [
  [
    'imports partners only from partners',
    importing((imported) => imported.startsWith('partners/'), /^(?!partners\/)/),
    [
      'tools/cli/letter/letter.ts',
      "import { fields } from '../../../partners/gateway/without.ts';",
    ],
  ],
  [
    'lets partners/gateway import only serving modules, partners/shared, zod and Node.js',
    importing(
      (imported) =>
        !/^(src|adapters|partners\/(gateway|shared))\/|^(zod$|node:)/.test(imported) ||
        storesWithDrivers.test(imported),
      /^partners\/gateway\//,
    ),
    [
      'partners/gateway/serve.ts',
      "import { readCases } from '../../tools/compare/cases/cases.ts';",
    ],
    ['partners/gateway/local.ts', "import Koa from 'koa';"],
  ],
];

const files = ['src', 'adapters', 'tools'].flatMap(pathsBelow).map(readSource);
const partnerFiles = [...files, ...pathsBelow('partners/gateway').map(readSource)];

/** The files that a file loads, itself included: its imports and theirs, but no types. */
const loadedBy = (...paths: readonly string[]): ReadonlySet<string> => {
  const loaded = new Set(paths);
  for (const path of loaded) {
    const { code = '' } = files.find((file) => file.path === path) ?? {};
    for (const [, imported = ''] of code.matchAll(
      /^import (?!type )(?:[^;]*? from )?'(\.[^']+)';/gm,
    ))
      loaded.add(join(dirname(path), imported));
  }
  return loaded;
};

/** Modules that each module imports. */
type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

const importArrows = (): Arrows => {
  const arrows = new Map<string, Set<string>>();
  const folderOf = (path: string): string => path.split('/')[1]?.replace(/\.ts$/, '') ?? path;
  for (const { path, imports } of files) {
    const modules = imports
      .filter((imported) => /^(src|adapters|tools)\//.test(imported))
      .map(folderOf);
    const own = folderOf(path);
    const to = arrows.get(own) ?? new Set();
    for (const imported of modules) if (imported !== own) to.add(imported);
    arrows.set(own, to);
  }
  return arrows;
};

/** The arrows of the Mermaid picture: `module["text"] --> module & module["text"]`. */
const drawnArrows = (): Arrows => {
  const guide = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, drawing = ''] = /```mermaid\n(.+?)```/s.exec(guide) ?? [];
  const picture = drawing.replaceAll(/^ *end$/gm, '').replaceAll(/\[[^\]]+\]/g, '');
  return new Map(
    [...picture.matchAll(/^ +(\w+)(?: --> (.+))?$/gm)].map(([, from = '', to = '']) => [
      from,
      new Set(to.match(/\w+/g)),
    ]),
  );
};

/** Every module that a path of arrows leads to. */
const reachedFrom = (from: string, arrows: Arrows): ReadonlySet<string> => {
  const reached = new Set(arrows.get(from));
  for (const one of reached) for (const next of arrows.get(one) ?? []) reached.add(next);
  return reached;
};

describe('architecture', () => {
  for (const rule of [...rules, ...partnerRules]) {
    const [title, breaches, ...planted] = rule;
    it(title, () => {
      const ruled = partnerRules.includes(rule) ? partnerFiles : files;
      expect(breaches(ruled)).to.deep.equal([]);
      expect(planted).to.not.be.empty;
      for (const [path, text] of planted) {
        const others = ruled.filter((file) => file.path !== path);
        const found = breaches([...others, parseSource(path, text)]);
        expect(found, `the planted breach ${text}`).to.not.be.empty;
      }
    });
  }

  it('loads at most 44 files for a request, without the forms and the catalogue', () => {
    const loaded = loadedBy('adapters/http/app.ts');
    expect(loaded).to.include('adapters/http/pipeline.ts');
    expect(loaded.size, [...loaded].join('\n')).to.be.at.most(44);
  });

  it('loads at most 100 files to revoke a key', () => {
    const loaded = loadedBy(
      ...['artist-gateway.ts', 'main.ts', 'keys/revoke.ts'].map((path) => `tools/cli/${path}`),
      'adapters/stores/mongodb/database.ts',
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
    const known = [...sections].map(([, title]) => title);
    const cited = files.flatMap(({ text }) =>
      [...joinedComments(text).matchAll(/decisions, "([^"]+)"/g)].map(([, title]) => title),
    );
    expect(cited).to.not.be.empty;
    expect(known).to.include.members(cited);
  });

  it('sends HTTP requests only from the comparison', () => {
    const sending = containing(/\bfetch\(|\brequest\(\{|from 'node:(https|http2|net|tls|dgram)'/)(
      files,
    );
    // the lock of a folder is a socket in it
    const allowed = /^(tools\/compare\/|adapters\/files\/folder-lock\.ts$)/;
    expect(sending.filter((path) => !allowed.test(path))).to.deep.equal([]);
    expect(sending).to.not.be.empty;
  });

  it('names test folders after modules, and keeps helpers in test/support', () => {
    const more = ['faults', 'mongodb', 'partners', 'deploy', 'support'];
    const known = [...files.map(({ path }) => path.split('/')[1]), ...more];
    const entries = readdirSync(join(root, 'test'), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(folders.filter((name) => !known.includes(name))).to.deep.equal([]);
    const tests = pathsBelow('test').filter((path) => !path.startsWith('test/support/'));
    expect(tests.filter((path) => !path.endsWith('.test.ts'))).to.deep.equal([]);
  });
});

describe('the picture in docs/architecture.md', () => {
  const [imports, drawn] = [importArrows(), drawnArrows()];
  const without = (some: Arrows, isKnown: (from: string, to: string) => boolean): string[] =>
    [...some].flatMap(([from, to]) =>
      [...to].filter((one) => !isKnown(from, one)).map((one) => `${from} → ${one}`),
    );

  it('has a path of arrows for every import between modules', () => {
    expect(without(imports, (from, to) => reachedFrom(from, drawn).has(to))).to.deep.equal([]);
    expect([...reachedFrom('cli', drawn), 'cli']).to.have.members([...imports.keys()]);
  });

  it('has an import for every arrow, and no circle', () => {
    expect(without(drawn, (from, to) => imports.get(from)?.has(to) ?? false)).to.deep.equal([]);
    for (const from of drawn.keys()) expect(reachedFrom(from, drawn)).to.not.include(from);
  });

  it('and the recipes of contributing.md name files that exist', () => {
    const guides = ['architecture', 'contributing'].map((name) =>
      readFileSync(join(root, `docs/${name}.md`), 'utf8'),
    );
    const paths = ['src', 'adapters', 'tools', 'test', 'partners'].flatMap(pathsBelow);
    const named = [...guides.join('\n').matchAll(/`([\w/-]+(?:\.\w+)?\.ts)`/g)];
    const missing = named
      .map(([, name = '']) => name)
      .filter((name) => !/\/NAME\//.test(name))
      .filter((name) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)));
    expect(missing).to.deep.equal([]);
  });
});
