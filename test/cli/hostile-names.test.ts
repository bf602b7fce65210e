import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
import { hostileNames, unsafeLines } from '../support/hostile-names.ts';

const day = dayOf(Date.now());

describe('three hundred hostile names', () => {
  const world = useOperatorEnvironment({ redis: true });
  const folder = useInputFolder();
  let withErrors: string;

  before(async () => {
    const owner = (index: number) => ({ key_id: `key${index}`, organization_id: `org${index}` });
    const artists = artistDocuments(hostileNames.length).map((artist, index) => ({
      ...{ ...artist, _id: `doc ${hostileNames[index]}` },
      ...{ name: hostileNames[index], updated_at: new Date() },
    }));
    const stored = {
      artists,
      organizations: hostileNames.map((name, index) => ({ _id: `org${index}`, name })),
      api_keys: hostileNames.map((partner, index) => ({
        ...keyDocument({
          id: `key${index}`,
          organizationId: `org${index}`,
          partner,
          form: 'variant',
          sunset: day,
        }),
        scopes: ['artists:read', partner],
      })),
      usage: hostileNames.map((route, index) => ({
        ...{
          _id: `usage${index}`,
          ...owner(index),
          day,
          form: 'variant',
          route,
          status: 200,
          requests: 1,
        },
        uses: { [`tier ${route.replaceAll('\0', '')}`]: 1 }, // names of members cannot have it
        last_at: new Date(),
      })),
      key_log: hostileNames.map((text, index) => ({
        ...{
          _id: `log${index}`,
          ...owner(index),
          at: new Date(),
          actor: text,
          action: 'set',
          reason: text,
        },
      })),
    };
    for (const [name, documents] of Object.entries(stored))
      await world.db.collection(name).insertMany(documents as never[]);
    withErrors = join(folder.path, 'errors');
    await mkdir(withErrors);
    await folder.write(
      'errors/artists',
      artists.map((artist) => ({ ...artist, tier: artist.name, updatedat: 1 })),
    );
    await folder.write('errors/history', [
      ...seriesDocuments(1),
      ...hostileNames.map((name) => ({
        artist_id: name,
        song_id: name,
        metric: name,
        points: name,
      })),
    ]);
  });

  const listings = [
    'keys list',
    'keys log',
    'organizations list',
    'usage',
    'usage --csv',
    'migration status',
    'migration status --csv',
    'doctor',
  ];
  const lists = listings.flatMap((words) =>
    /csv|html/.test(words) ? [words] : [words, `${words} --json`],
  );

  it('are the same identifiers in `migration ids --csv` as they are stored', async () => {
    const { stdout, stderr } = await world.run('migration ids --csv --organization org150');
    expect(unsafeLines(stderr)).to.deep.equal([]);
    const rows = `\r\n${stdout}`;
    const quoted = (name: string) =>
      /[",\r\n]/.test(name) ? `"doc ${name.replaceAll('"', '""')}"` : `doc ${name}`;
    const lost = hostileNames.filter((name) => !rows.includes(`\r\n${quoted(name)},`));
    expect(lost).to.deep.equal([]);
  });

  for (const words of lists) {
    it(`are plain in what "${words}" prints`, async () => {
      const { stdout, stderr } = await world.run(words);
      expect(unsafeLines(`${stdout}\n${stderr}`)).to.deep.equal([]);
      if (/^(keys list|organizations|usage|migration)/.test(words))
        expect(stdout).to.include('n150');
      if (words.endsWith('--json')) expect(() => JSON.parse(stdout)).not.to.throw();
    });
  }

  it('are the same names in JSON as they are stored', async () => {
    const listed = await world.json<readonly { readonly name: string }[]>('organizations list');
    expect(listed.map(({ name }) => name)).to.have.members([...hostileNames]);
  });

  it('are plain in what every command about one of them prints', async () => {
    const commands = [
      'keys show',
      'keys log',
      'quota show',
      'quota replay',
      'migration report',
      'quota reset',
    ];
    // one of each kind
    for (const index of [0, 1, 27, 70, 100, 150, 240, 241, 242, 246, 248, 252, 256, 262, 270]) {
      for (const words of commands) {
        const reset = words === 'quota reset' ? ['--reason', 'test'] : [];
        const { stdout, stderr } = await world.run(words, `key${index}`, ...reset);
        expect(unsafeLines(`${stdout}\n${stderr}`), `${words} key${index}`).to.deep.equal([]);
      }
    }
  });

  for (const words of ['catalogue validate', 'catalogue import']) {
    it(`are plain in what "${words}" finds wrong`, async () => {
      for (const format of [[], ['--json']]) {
        const { code, stdout, stderr } = await world.run(words, withErrors, ...format);
        expect(code).to.equal(1);
        expect(unsafeLines(`${stdout}\n${stderr}`)).to.deep.equal([]);
        expect(stdout).to.include('n10');
      }
    });
  }

  it('are plain in what "catalogue export" says about them, and exact in its files', async () => {
    const to = join(folder.path, 'exported');
    const { stdout, stderr } = await world.run('catalogue export', to);
    expect(unsafeLines(`${stdout}\n${stderr}`)).to.deep.equal([]);
    const namesIn = async (file: string) =>
      (await readFile(join(to, file), 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).name);
    const hasControls = (name: string) => /\p{Cc}/u.test(name);
    // an import would refuse names with control characters
    for (const [file, names] of [
      ['artists.ndjson', hostileNames.filter((name) => !hasControls(name))],
      ['left-out.ndjson', hostileNames.filter(hasControls)],
    ] as const)
      expect(await namesIn(file), file).to.include.members(names.slice(0, 10));
  });

  it('are refused as names by the commands that store them, and not repeated as they are', async () => {
    const refused = hostileNames.filter((one) => plainText(one) !== one && !one.includes('\0'));
    for (const name of refused.filter((_, index) => index % 7 === 0)) {
      if (plainText(name.trim()) === name.trim()) continue; // blanks at an end are cut off
      const { code, stdout, stderr } = await world.run('organizations set acme --name', name);
      expect(code, name).to.equal(2);
      expect(unsafeLines(`${stdout}\n${stderr}`)).to.deep.equal([]);
    }
  });

  it('are plain in a guide and its page, and make no link', async () => {
    const { stdout: guide } = await world.run('migration guide key0');
    const own = new Marked().parse(guide, { async: false }).match(/<a /g) ?? [];
    const addressed = (name = '') => `\nFor ${proseMarkdown(name)}, key `;
    for (const name of hostileNames) {
      const text = guide.replace(addressed(hostileNames[0]), () => addressed(name));
      expect(text).to.include(addressed(name));
      const page = guideHtml(text, `For ${name}`);
      expect(unsafeLines(text), name).to.deep.equal([]);
      expect(unsafeLines(page), name).to.deep.equal([]);
      expect(page, name).to.match(/<title>For [^<]*<\/title>/);
      for (const html of [page, new Marked().parse(text, { async: false })])
        expect((html.match(/<a |<script>a|<img/g) ?? []).length, `${name}\n${text}`).to.equal(
          own.length,
        );
    }
  });

  it('are plain in every report of a comparison', () => {
    const cases = hostileNames.map((name, index) => {
      const line = {
        ...wrong,
        unexpected: `stored is ${name}.`,
        left: { path: name, value: name },
        row: `row ${name}`,
      } satisfies ComparedLine;
      return { ...bad, name: `${name} ${index}`, asks: name, unexpected: [{ block: name, line }] };
    });
    const entries = hostileNames.map((name) => ({
      ...{ row: name, violation: name, reason: name, until: '2026-01-01' },
      example: { case: name, where: name, current: { path: name, value: name } },
      ...{ places: 1, cases: { [name]: name } },
    }));
    const run = buildRun(cases, {
      heading: hostileNames.join(' '),
      notes: hostileNames,
      skipped: hostileNames.map((name) => ({ name, reason: name })),
    });
    const report = createReport(run, applyBaseline(run, entries, '2026-08-22'));
    const { before, after } = formatReportTexts(report, { colours: false });
    const texts = { before, after, page: renderPage(report), junit: formatJunit(report) };
    for (const [name, text] of Object.entries(texts))
      expect(unsafeLines(text), name).to.deep.equal([]);
  });
});
