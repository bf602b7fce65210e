import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { Marked } from 'marked';
import { plainText } from '../../adapters/text/plain-text.ts';
import { dayOf } from '../../src/domain/day.ts';
import { guideHtml } from '../../tools/cli/migration/guide-html.ts';
import { proseMarkdown } from '../../tools/cli/migration/prose.ts';
import { applyBaseline } from '../../tools/compare/baseline.ts';
import type { ComparedLine } from '../../tools/compare/checks/lines.ts';
import { renderPage } from '../../tools/compare/reports/html.ts';
import { formatJunit } from '../../tools/compare/reports/junit.ts';
import { formatReportTexts } from '../../tools/compare/reports/terminal.ts';
import { createReport } from '../../tools/compare/verdict.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { keyDocument, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { bad, buildRun, wrong } from '../support/compare/build-run.ts';

/** Ranges of code points that are invisible or change the direction of text. */
const unseenRanges: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe007f],
];
const charactersOf = ([first, last]: readonly [number, number]): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));

/** Commands to GitHub Actions, Azure Pipelines and TeamCity; links; markup. */
const texts =
  `##[error]|###[error]|##[Group]|##vso[task.complete]|##teamcity[x]|::error::|  ::error file=a::
::Stop-Commands::x|::add-mask::a|https://evil.example|HTTP://evil.example/a_b|ftp://evil.example
www.evil.example|WWW.evil.example|evil@evil.example|mailto:evil@evil.example|xmpp:evil@evil.example
@everybody|[a](https://evil.example)|<https://evil.example>|![a](https://evil.example/a.png)
[a]: https://evil.example|a\`https://evil.example\`|\`https://evil.example|https\\://evil.example
\\https://evil.example|</title><script>alert(1)</script>|<img src=x onerror=alert(1)>
"><a href="//evil.example">|&#8238;`.split(/[|\n]/);

/** Names of artists, partners and organizations as an attacker would choose them, numbered. */
const hostileNames: readonly string[] = [
  ...unseenRanges.flatMap(charactersOf),
  ...texts,
  'https://evil.example|www.evil.example',
].map((piece, index) => {
  const name = `n${index}`;
  return [`${piece} ${name}`, `${name}${piece}z`, `${name} ${piece}`][index % 3] ?? name;
});

const unseen = new RegExp(
  `[${unseenRanges.map((range) => range.map((point) => `\\u{${point.toString(16)}}`).join('-')).join('')}]`,
  'u',
);
/** Lines that a person could not trust or that a CI system would obey. Tabs are meant. */
const unsafeLines = (output: string): readonly string[] =>
  output
    .split(/\r?\n/)
    .filter(
      (line) =>
        unseen.test(line.replaceAll('\t', '')) ||
        /##[a-z]*\[/i.test(line) ||
        /^\s*::[a-z-]+[^:]*::/i.test(line),
    );

describe('three hundred hostile names', () => {
  const world = useOperatorEnvironment({ redis: true });
  const folder = useInputFolder();
  const day = dayOf(Date.now());
  let withErrors: string;

  /** Runs a command whose output must be plain. Resolves to standard output. */
  const print = async (words: string, ...args: string[]): Promise<string> => {
    const { stdout, stderr } = await world.run(words, ...args);
    expect(unsafeLines(`${stdout}\n${stderr}`), `${words} ${args[0] ?? ''}`).to.deep.equal([]);
    return stdout;
  };

  before(async () => {
    const at = new Date();
    const owner = (index: number) => ({ key_id: `key${index}`, organization_id: `org${index}` });
    const artists = artistDocuments(hostileNames.length).map((artist, index) => ({
      ...{ ...artist, _id: `doc ${hostileNames[index]}`, name: hostileNames[index] },
      updated_at: at,
    }));
    const stored = {
      artists,
      organizations: hostileNames.map((name, index) => ({ _id: `org${index}`, name })),
      api_keys: hostileNames.map((partner, index) => {
        const given = { id: `key${index}`, organizationId: `org${index}`, form: 'variant' };
        const scopes = ['artists:read', partner];
        return { ...keyDocument({ ...given, partner, sunset: day }), scopes };
      }),
      usage: hostileNames.map((route, index) => ({
        ...{ _id: `usage${index}`, ...owner(index), day, form: 'variant', route, status: 200 },
        uses: { [`tier ${route.replaceAll('\0', '')}`]: 1 }, // names of members cannot have it
        ...{ requests: 1, last_at: at },
      })),
      key_log: hostileNames.map((actor, index) => ({
        ...{ _id: `log${index}`, ...owner(index), at, actor, action: 'set', reason: actor },
      })),
    };
    for (const [name, documents] of Object.entries(stored))
      await world.db.collection(name).insertMany(documents as never[]);
    withErrors = join(folder.path, 'errors');
    await mkdir(withErrors);
    const wrongArtists = artists.map((artist) => ({ ...artist, tier: artist.name, updatedat: 1 }));
    await folder.write('errors/artists', wrongArtists);
    const members = ['artist_id', 'song_id', 'metric', 'points'];
    const wrongSeries = hostileNames.map((name) =>
      Object.fromEntries(members.map((member) => [member, name])),
    );
    await folder.write('errors/history', [...seriesDocuments(1), ...wrongSeries]);
  });

  it('are identical in `migration ids --csv` and in JSON', async () => {
    const { stdout, stderr } = await world.run('migration ids --csv');
    expect(unsafeLines(stderr)).to.deep.equal([]);
    const quoted = (name: string) =>
      /[",\r\n]/.test(name) ? `"doc ${name.replaceAll('"', '""')}"` : `doc ${name}`;
    const lost = hostileNames.filter((name) => !`\r\n${stdout}`.includes(`\r\n${quoted(name)},`));
    expect(lost).to.deep.equal([]);
    const listed = await world.json<readonly { readonly name: string }[]>('organizations list');
    expect(listed.map(({ name }) => name)).to.have.members([...hostileNames]);
  });

  it('are plain in the output of every listing', async () => {
    for (const words of ['keys list', 'organizations list', 'usage', 'migration status']) {
      expect(await print(words), words).to.include('n150');
      JSON.parse(await print(`${words} --json`));
    }
    for (const words of ['usage --csv', 'migration status --csv'])
      expect(await print(words), words).to.include('n150');
    for (const words of ['keys log', 'keys log --json', 'doctor', 'doctor --json'])
      await print(words);
  });

  it('are plain in the output of every command about one of them', async () => {
    // one of each kind
    for (const index of [0, 27, 70, 150, 240, 242, 248, 252, 262]) {
      for (const words of [
        'keys show',
        'keys log',
        'quota show',
        'quota replay',
        'migration report',
      ])
        await print(words, `key${index}`);
      await print('quota reset', `key${index}`, '--reason', 'test');
    }
  });

  it('are printed plainly in import errors, and exactly in exported files', async () => {
    for (const words of ['catalogue validate', 'catalogue import'])
      for (const format of [[], ['--json']])
        expect(await print(words, withErrors, ...format)).to.include('n10');
    const to = join(folder.path, 'exported');
    await print('catalogue export', to);
    const hasControls = (name: string) => /\p{Cc}/u.test(name);
    // an import would refuse names with control characters
    for (const [file, names] of [
      ['artists.ndjson', hostileNames.filter((name) => !hasControls(name))],
      ['left-out.ndjson', hostileNames.filter(hasControls)],
    ] as const) {
      const lines = (await readFile(join(to, file), 'utf8')).trimEnd().split('\n');
      const found = lines.map((line) => JSON.parse(line).name);
      expect(found, file).to.include.members(names.slice(0, 10));
    }
  });

  it('are rejected as names, and not repeated as they are', async () => {
    const isUnsafe = (name: string) =>
      plainText(name.trim()) !== name.trim() && !name.includes('\0');
    for (const name of hostileNames.filter(isUnsafe).filter((_, index) => index % 7 === 0)) {
      const { code, stdout, stderr } = await world.run('organizations set acme --name', name);
      expect(code, name).to.equal(2);
      expect(unsafeLines(`${stdout}\n${stderr}`)).to.deep.equal([]);
    }
  });

  it('are plain in a guide and its page, and make no link', async () => {
    const { stdout: guide } = await world.run('migration guide key0');
    const htmlOf = (markdown: string) => new Marked().parse(markdown, { async: false });
    const own = htmlOf(guide).match(/<a /g) ?? [];
    const addressed = (name = '') => `\nFor ${proseMarkdown(name)}, key `;
    for (const name of hostileNames) {
      const text = guide.replace(addressed(hostileNames[0]), () => addressed(name));
      expect(text).to.include(addressed(name));
      const page = guideHtml(text, `For ${name}`);
      expect(unsafeLines(`${text}\n${page}`), name).to.deep.equal([]);
      expect(page, name).to.match(/<title>For [^<]*<\/title>/);
      for (const html of [page, htmlOf(text)])
        expect(html.match(/<a |<script>a|<img/g)?.length ?? 0, `${name}\n${text}`).to.equal(
          own.length,
        );
    }
  });

  it('are plain in every report of a comparison', () => {
    const cases = hostileNames.map((name, index) => {
      const line = {
        ...{ ...wrong, unexpected: `stored is ${name}.`, row: `row ${name}` },
        left: { path: name, value: name },
      } satisfies ComparedLine;
      return { ...bad, name: `${name} ${index}`, asks: name, unexpected: [{ block: name, line }] };
    });
    const entries = hostileNames.map((name) => ({
      ...{ row: name, violation: name, reason: name, until: '2026-01-01' },
      example: { case: name, where: name, current: { path: name, value: name } },
      ...{ places: 1, cases: { [name]: name } },
    }));
    const run = buildRun(cases, {
      ...{ heading: hostileNames.join(' '), notes: hostileNames },
      skipped: hostileNames.map((name) => ({ name, reason: name })),
    });
    const report = createReport(run, applyBaseline(run, entries, '2026-08-22'));
    const { before, after } = formatReportTexts(report, new PassThrough());
    for (const text of [before, after, renderPage(report), formatJunit(report)])
      expect(unsafeLines(text)).to.deep.equal([]);
  });
});
