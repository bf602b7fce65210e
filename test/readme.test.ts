import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { formNames } from '../adapters/forms/forms.ts';
import { createEmbeddedKeys, describeDemoKeys } from '../adapters/stores/embedded/keys.ts';
import { describeSettings } from '../src/runtime/config.ts';
import { root } from './support/architecture.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

/**
 * The pictures that the README shows, each with its alternative text; of a pair for light and dark,
 * the light one has it.
 */
const pictures = [
  ...readme.matchAll(/!\[(?<text>[^\]]*)\]\((?<path>[^)]+)\)/g),
  ...readme.matchAll(/<img src="(?<path>[^"]+)" alt="(?<text>[^"]*)">/g),
].map(({ groups }) => ({ path: groups?.['path'] ?? '', text: groups?.['text'] ?? '' }));
const darkPictures = [...readme.matchAll(/srcset="([^"]+)"/g)].map(([, path = '']) => path);

describe('the README', () => {
  it('shows every picture of docs/images, each below 150 KB', () => {
    const shown = [...pictures.map(({ path }) => path), ...darkPictures];
    expect(shown).to.have.members(
      readdirSync(join(root, 'docs/images')).map((name) => `docs/images/${name}`),
    );
    for (const path of shown) expect(statSync(join(root, path)).size, path).to.be.below(150_000);
  });

  it('says what each picture shows', () => {
    for (const { path, text } of pictures) expect(text, path).to.have.length.above(40);
  });

  it('shows the requests that `npm start` prints', async () => {
    const folder = join(root, 'fixtures/catalogue');
    const demoKeys = await createEmbeddedKeys(folder, formNames, { sandbox: true }).demoKeys();
    const banner = describeDemoKeys(demoKeys, 'http://127.0.0.1:3000');
    const requests = banner.split('\n').filter((line) => line.startsWith('  curl'));
    expect(requests).to.have.lengthOf(formNames.length);
    expect(readme).to.include(`\n${requests.map((line) => line.trim()).join('\n')}\n`);
  });

  it('sends partners to a running gateway, not to files of the repository', () => {
    const [, row = ''] = /^\| a partner \| (.+) \|$/m.exec(readme) ?? [];
    expect(row).to.include('`/docs/clients/` of a running gateway').and.not.include('](');
  });
});

/** The words that a person may write in each page. To add a paragraph to a full page, remove one. */
const budgets: Readonly<Record<string, number>> = {
  'README.md': 550,
  'CHANGELOG.md': 280,
  'docs/operating.md': 1_700,
  'docs/deploying.md': 1_150,
  'docs/commands.md': 850,
  'docs/importing.md': 650,
  'docs/migrating-partners.md': 650,
  'docs/comparing.md': 650,
  'docs/checking-contracts.md': 350,
  'docs/scaling.md': 450,
  'docs/security.md': 600,
  'docs/architecture.md': 800,
  'docs/contributing.md': 1_050,
  'docs/decisions.md': 1_000,
  'docs/site/migration-guide.md': 850,
  'fixtures/catalogue/README.md': 290,
  'fixtures/cases/README.md': 210,
  '.github/CODE_OF_CONDUCT.md': 130,
  '.github/CONTRIBUTING.md': 30,
  '.github/SECURITY.md': 90,
};

describe('a written page', () => {
  for (const [path, budget] of Object.entries(budgets)) {
    it(`has at most ${budget} words: ${path}`, () => {
      const words = readFileSync(join(root, path), 'utf8')
        .split(/\s+/)
        .filter((word) => /[\p{L}\p{N}]/u.test(word));
      expect(words.length).to.be.at.most(budget);
    });
  }
});

describe('the changelog', () => {
  it('has at most 20 lines of entries per release, none over 120 characters', () => {
    const [, ...releases] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
    expect(releases).to.not.be.empty;
    for (const release of releases) {
      const lines = release.split('\n');
      expect(lines.filter((line) => line.length > 120)).to.deep.equal([]);
      expect(lines.filter((line) => line.startsWith('- '))).to.have.length.within(1, 20);
    }
  });
});

describe('guides', () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const below = (folder: string, ending: RegExp): readonly string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => ending.test(name) && !name.includes('node_modules'))
      .map((name) => join(folder, name));
  const others = [
    'README.md',
    '.github/CONTRIBUTING.md',
    '.github/SECURITY.md',
    'CHANGELOG.md',
    'bench/results.md',
  ];
  const guides = [...below('docs', /\.md$/), ...below('fixtures', /README\.md$/), ...others];

  /** What a link to a guide may name: its headings, as GitHub writes them, and its own anchors. */
  const anchorsOf = (path: string): readonly string[] => {
    const text = read(path).replaceAll(/^```.*?^```/gms, '');
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    return [...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)];
  };
  const isThere = (path: string, anchor: string | undefined): boolean =>
    existsSync(join(root, path)) && (anchor === undefined || anchorsOf(path).includes(anchor));

  it('name in contributing.md the versions that CI tests', () => {
    const [, lines = ''] = /line: \[(.+)\]/.exec(read('.github/workflows/ci.yml')) ?? [];
    const [, jongodb = ''] =
      /jongodb[^"]+": "([\d.]+)"/.exec(read('test/support/mongodb/package.json')) ?? [];
    const [, mongod = ''] = /mongo:([\d.]+)/.exec(read('.github/workflows/database.yml')) ?? [];
    const [, floor = ''] = /">=([\d.]+)"/.exec(read('package.json')) ?? [];
    const node = `${read('.nvmrc').trim()} (CI also ${floor})`;
    for (const version of [lines, jongodb, mongod, floor]) expect(version).to.not.equal('');
    const contributing = read('docs/contributing.md');
    expect(contributing).to.include(`| Node | ${node} | ${lines.replaceAll("'", '')} |`);
    expect(contributing)
      .to.include(`| MongoDB | jongodb ${jongodb},`)
      .and.include(`\`mongod\` ${mongod} |`);
  });

  it('link only files and headings that exist', () => {
    const dead = guides.flatMap((guide) =>
      [...read(guide).matchAll(/\]\((?!https?:|\/docs|\/openapi|{)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
        .filter(([, path, anchor]) => !isThere(path ? join(dirname(guide), path) : guide, anchor))
        .map(([link]) => `${guide}: ${link}`),
    );
    expect(dead).to.deep.equal([]);
  });

  it('name only commands, options and settings that exist', () => {
    const sections = read('docs/reference/commands.md').split(/^## /m);
    const groups = 'catalogue|keys|organizations|quota|migration|contracts';
    const settings = new Set(describeSettings().map(({ name }) => name));
    const wrong = guides
      .filter((guide) => /^(README|docs\/[\w-]+)\.md$/.test(guide))
      .flatMap((guide) => {
        const text = read(guide).replaceAll('\\\n', '');
        const calls = [
          ...text.matchAll(
            new RegExp(`(?:artist-gateway |\`)(${groups}) ([a-z]+)((?: [^\`\n|]*)?)`, 'g'),
          ),
        ];
        const unknown = calls.flatMap(([, group, name, rest = '']) => {
          const help = sections.find((section) => section.startsWith(`${group} ${name}\n`)) ?? '';
          const options = rest.match(/(?<= )--[a-z-]+/g) ?? [];
          return [`artist-gateway ${group} ${name}`, ...options].filter(
            (one) => !help.includes(one),
          );
        });
        const names =
          text.match(/`(?!TEST_|DATA_)[A-Z]+_[A-Z_]*(?:SECONDS|URL|DIR|MS|MB|FLOOR|HOST|PORT)`/g) ??
          [];
        return [...unknown, ...names.filter((name) => !settings.has(name.slice(1, -1)))].map(
          (one) => `${guide}: ${one}`,
        );
      });
    expect(wrong).to.deep.equal([]);
  });

  it('have the headings that messages, comments and alerts name', () => {
    const files = [
      ...['src', 'adapters', 'tools', 'deploy'].flatMap((folder) => below(folder, /\.\w+$/)),
      'Dockerfile',
    ];
    const named = files.flatMap((file) =>
      [
        ...read(file).matchAll(
          /(docs\/[\w-]+\.md)(?:#([\w-]+)|, "([^"]+)")|"([^"]+)" in (docs\/[\w-]+\.md)/g,
        ),
      ].map(([text, path, anchor, title, before, after]) => ({
        text: `${file}: ${text}`,
        path: path ?? after ?? '',
        anchor: anchor ?? (title ?? before ?? '').toLowerCase().replaceAll(' ', '-'),
      })),
    );
    expect(named).to.have.length.above(5);
    expect(
      named.filter(({ path, anchor }) => !isThere(path, anchor)).map(({ text }) => text),
    ).to.deep.equal([]);
  });
});
