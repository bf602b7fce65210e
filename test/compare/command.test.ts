import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { useStarted } from '../support/cleanup.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import type { CommandResult } from '../support/cli/run.ts';
import { runWarm } from '../support/cli/warm-command.ts';
import { demoKey } from '../support/faults/database.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { until } from '../support/wait.ts';

const keys = { CURRENT_KEY: demoKey('qaCurrent'), VARIANT_KEY: demoKey('qaVariant') };

const compare = (
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<CommandResult> => runWarm(settings, ['compare', ...args]);

const namesIn = (stdout: string): readonly string[] =>
  JSON.parse(stdout).map(({ name }: { readonly name: string }) => name);

describe('artist-gateway compare', () => {
  const folder = useInputFolder();

  it('compares the example catalogue, every row but compression and problems that need a failure, and exits with 0', async () => {
    const [page, junit] = ['report.html', 'report.xml'].map((name) => join(folder.path, name));
    const { code, stdout, stderr } = await compare([
      '--json',
      '--all',
      '--html',
      page ?? '',
      '--junit',
      junit ?? '',
    ]);
    const report = JSON.parse(stdout);
    expect(report).to.include({ unexpected: 0, now: '2026-08-22T12:00:00.000Z' });
    const { rows, items, cases } = report.compared;
    expect(cases).to.equal(report.cases.length).and.to.be.greaterThan(100);
    expect(items).to.be.greaterThan(500);
    expect(rows.notExercised).to.deep.equal([
      'problem.unavailable',
      'problem.bug',
      'header.Content-Encoding',
    ]);
    const example = 'the example catalogue has it at FIXED_NOW=2026-08-21T12:00:00Z';
    const reason = `nothing in the data is at this boundary (${example})`;
    const ofTomorrow = ['boundary-added-tomorrow', 'boundary-latest-of-tomorrow'];
    expect(report.skipped).to.include.deep.members(ofTomorrow.map((name) => ({ name, reason })));
    expect(JSON.stringify(report.skipped), 'the default page, by name')
      .to.include(
        '{"name":"boundary-default-page","reason":"nothing in the data is at this boundary',
      )
      .and.include('(a catalogue of more than 50 artists has it)');
    expect(readFileSync(page ?? '', 'utf8')).to.include('No unexpected difference');
    expect(readFileSync(junit ?? '', 'utf8')).to.include('<testsuites name="compare"');
    const progress = /^(Comparing: \d+ of \d+ cases: .+\n)+/;
    expect(stderr).to.match(progress);
    expect(stderr.replace(progress, '')).to.equal(
      `The answers side by side: ${page}\nReport: ${junit}\n`,
    );
    expect(code).to.equal(0);
  });

  it('compares the catalogue of --catalogue at FIXED_NOW', async () => {
    await folder.write(
      'artists',
      artistDocuments(1, { date_added: '2025-01-01', updated_at: '2025-01-02T00:00:00Z' }),
    );
    const args = ['--catalogue', folder.path, '--case', 'added'];
    const { code, stdout, stderr } = await compare(args, { FIXED_NOW: '2025-01-05T08:00:00Z' });
    expect(stderr).to.include('2025-01-05T08:00:00.000Z');
    expect(stdout).to.match(
      /^case\titems\tsame\trenamed\texpected\tunexpected\nadded\t1\t[0-9]+\t[0-9]+\t[0-9]+\t0\n$/,
    );
    expect(code).to.equal(0);
  });

  it('finds spikes with SPIKE_FLOOR and SPIKE_THRESHOLD_PERCENT', async () => {
    const countSpikes = async (settings: Readonly<Record<string, string>>): Promise<unknown> => {
      const { stdout } = await compare(['--case', 'spikes', '--json'], settings);
      return JSON.parse(stdout).cases[0].items;
    };
    expect(await countSpikes({})).to.not.deep.equal({ current: 0, variant: 0 });
    expect(await countSpikes({ SPIKE_FLOOR: '1000000000' })).to.deep.equal({
      current: 0,
      variant: 0,
    });
    expect(await countSpikes({ SPIKE_THRESHOLD_PERCENT: '100000' })).to.deep.equal({
      current: 0,
      variant: 0,
    });
  });

  it('--dry-run prints the cases with their requests, and sends none', async () => {
    const { code, stdout } = await compare(['--dry-run']);
    const [head, ...lines] = stdout.trimEnd().split('\n');
    expect(head?.split('\t').slice(0, 3)).to.deep.equal(['case', 'items', 'key']);
    expect(lines.length).to.be.greaterThan(100);
    expect(lines.find((line) => line.startsWith('added\t')))
      .to.include('GET /added')
      .and.include('GET /artists?new=7');
    expect(code).to.equal(0);
  });

  it('--case takes patterns', async () => {
    const [spikes, two] = await Promise.all([
      compare(['--dry-run', '--json', '--case', 'spikes*']),
      compare(['--dry-run', '--json', '--case', 'added', '--case', 'signing?']),
    ]);
    expect(namesIn(spikes.stdout).length).to.be.greaterThan(5);
    expect(namesIn(spikes.stdout).every((name) => name.startsWith('spikes'))).to.equal(true);
    expect(namesIn(two.stdout)).to.have.members(['added', 'signings']);
  });

  it('--sample compares artists chosen at random, and a seed chooses the same ones again', async () => {
    const seedOf = (stderr: string) =>
      /Sample of 5 of 12 artists; --sample 5:(\d+) repeats it/.exec(stderr)?.[1] ?? '';
    const first = await compare(['--sample', '5']);
    expect(first.code).to.equal(0);
    expect(first.stdout).to.match(/sample-by-id\t5/);
    const again = await compare(['--sample', `5:${seedOf(first.stderr)}`, '--json']);
    expect(JSON.parse(again.stdout)).to.include({ verdict: 'same' });
    expect(JSON.parse(again.stdout).cases[0].items).to.deep.equal({ current: 5, variant: 5 });
  });

  describe('with a running gateway', () => {
    const gateway = useStarted(
      () => startGatewayProcess({ LOG_LEVEL: 'info' }),
      ({ stop }) => stop(),
    );

    it('reads its keys from the environment, and sends equal requests once', async () => {
      const isSent = (line: string) =>
        line.includes('"msg":"request"') && !line.includes('/health');
      const before = gateway.lines.filter(isSent).length;
      const args = [
        '--base-url',
        gateway.url,
        '--case',
        'spikes-days-zero',
        'signings',
        'artist-in-detail',
        'no-key',
      ];
      const { stdout, stderr, code } = await compare(args, keys);
      const countSent = () => gateway.lines.filter(isSent).length - before;
      await until('the last one is logged', async () => countSent() >= 15);
      expect(code).to.equal(0);
      expect(stdout).to.match(/^signings\t[1-9]/m);
      expect(stderr).to.include('No unexpected difference.');
      // with those without a key, the first page of each form, and the shortlist
      expect(countSent() - 10).to.equal(5);
    });

    it('compares with one key that may use both forms, and never prints it', async () => {
      const args = ['--base-url', gateway.url, '--case', 'spikes', '--all', '--json'];
      const { code, stdout, stderr } = await compare(args, { OVERRIDE_KEY: demoKey('qaSwitch1') });
      expect(JSON.parse(stdout)).to.include({ unexpected: 0 });
      expect(stdout + stderr).to.not.include('aik_');
      expect(code).to.equal(0);
    });

    it('compares a sample of the artists that it knows, or of the given pairs', async () => {
      const sample = (...args: readonly string[]) =>
        compare(['--base-url', gateway.url, '--sample', '3', ...args], keys);
      const { code, stdout } = await sample();
      expect([stdout.split('\n')[1]?.slice(0, 13), code]).to.deep.equal(['sample-by-id\t', 0]);
      const pairs = join(folder.path, 'pair.json');
      writeFileSync(
        pairs,
        JSON.stringify([{ current: 'art_0dk5mb', variant: '66c98e85f249002f03068e2a' }]),
      );
      expect((await sample('--pairs', pairs)).stderr).to.include(
        'Sample of 1 of 1 artists; --sample 3:',
      );
    });
  });

  describe('with invalid arguments', () => {
    const badCases = mkdtempSync(join(tmpdir(), 'cases-'));
    const badFolder = (name: string, text: string): string => {
      mkdirSync(join(badCases, name));
      writeFileSync(join(badCases, name, 'a.json'), text);
      return join(badCases, name);
    };
    after(() => rmSync(badCases, { recursive: true }));
    const own = {
      name: 'own',
      asks: 'One of mine',
      items: 'artists',
      current: '/artists',
      variant: '/artists',
    };
    const baseline = ['--baseline', 'x.json', '--write-baseline'];
    const live = ['--base-url', 'http://127.0.0.1:1'];
    const form = ['--form', 'current', ...live];
    const against = [...form, '--against'];
    const invocations: readonly (readonly [string, readonly string[], string])[] = [
      ['an invalid address', ['--base-url', 'gateway'], 'http:// or https://'],
      ['a pattern of no case', ['--case', 'nothing*'], 'There is no case nothing*.'],
      ['a pattern of one letter too few', ['--case', 'signin?'], 'There is no case signin?.'],
      ['a folder and an address', [...live, '--catalogue', '.'], 'cannot be used with'],
      ['pairs without an address', ['--pairs', 'p.json'], 'goes with --base-url'],
      ['a folder of cases that does not exist', ['--cases', '/nowhere'], '/nowhere'],
      [
        'a file of cases that is not JSON',
        ['--cases', badFolder('text', '{oops')],
        'a.json: SyntaxError: ',
      ],
      [
        'a file without an array',
        ['--cases', badFolder('object', '{}')],
        'a.json: ✖ Invalid input: expected array',
      ],
      [
        'a case without a member',
        ['--cases', badFolder('case', '[{"name": "a"}]')],
        '→ at [0].asks',
      ],
      ['a case without a name', ['--cases', badFolder('nameless', '[{}]')], '→ at [0].name'],
      [
        'a condition with another member',
        [
          '--cases',
          badFolder(
            'keep',
            JSON.stringify([{ ...own, current: { ask: '/artists', keep: [{ equals: 'x' }] } }]),
          ),
        ],
        'Invalid input: expected string, received undefined → at [0].current.keep[0].member',
      ],
      [
        'a side with another member',
        [
          '--cases',
          badFolder('side', JSON.stringify([{ ...own, current: { ask: '/artists', page: 2 } }])),
        ],
        'Unrecognized key: "page" → at [0].current',
      ],
      [
        'a case of the package a second time',
        ['--cases', badFolder('twice', JSON.stringify([{ ...own, name: 'artists' }]))],
        'there are two cases named artists',
      ],
      [
        'a catalogue folder without artists',
        ['--catalogue', mkdtempSync(join(badCases, 'no-artists-'))],
        '/artists.json: there is no such file (nor one ending in .ndjson or .jsonl)',
      ],
      [
        'a report that cannot be written',
        ['--html', '/nowhere/report.html'],
        '/nowhere/report.html cannot be written',
      ],
      ['an unknown option', ['--key', 'aik_a_b'], 'unknown option'],
      [
        '--write-baseline without a file',
        ['--write-baseline'],
        '--write-baseline needs --baseline and --reason.',
      ],
      [
        '--write-baseline without a reason',
        baseline,
        '--write-baseline needs --baseline and --reason.',
      ],
      ['a missing baseline', ['--baseline', '/nowhere.json'], '/nowhere.json: no such file.'],
      ['--reason alone', ['--reason', 'r'], '--reason goes with --write-baseline.'],
      [
        '--against with credentials',
        [...against, 'http://op:pw@127.0.0.1:9'],
        "option '--against <url|file>' argument 'http://…@127.0.0.1:9' is invalid. It must be an http:// or https:// URL without credentials, query or fragment.",
      ],
      [
        '--against with a password alone',
        [...against, 'http://:pw@127.0.0.1:9'],
        "argument 'http://…@127.0.0.1:9' is invalid.",
      ],
      ['--against without --form', ['--against', 'x'], '--against and --record go with --form.'],
      ['--form without --base-url', ['--form', 'current'], '--form needs --base-url.'],
      ['--form with --pairs alone', [...against, 'x', '--pairs', 'p'], '--form takes no --pairs.'],
      ['--form alone', form, '--form needs --against or --record.'],
      [
        '--record with a report',
        [...form, '--record', 'a.json', '--html', 'a.html'],
        "option '--record <file>' cannot be used with option '--html <file>'",
      ],
      [
        '--against with a file that is not a recording',
        [...against, '/dev/null'],
        '/dev/null: must be an address of a gateway, or a file that --record wrote.',
      ],
    ];
    const started: Promise<CommandResult>[] = [];
    before(() => {
      started.push(...invocations.map(([, args]) => compare(args, keys)));
    });
    for (const [index, [what, , message]] of invocations.entries()) {
      it(`exits with 2 for ${what}`, async () => {
        const ran = await started[index];
        expect(ran?.stderr).to.include(message);
        expect(ran).to.include({ code: 2, stdout: '' });
      });
    }
  });

  it('exits with 2 without keys for --base-url', async () => {
    const { code, stderr } = await compare(['--base-url', 'http://127.0.0.1:1']);
    expect(stderr).to.include('CURRENT_KEY and VARIANT_KEY');
    expect(code).to.equal(2);
  });

  it('exits with 1 and one line when the gateway does not answer', async () => {
    const { code, stderr } = await compare(['--base-url', 'http://127.0.0.1:1'], keys);
    expect(stderr).to.match(
      /^http:\/\/127\.0\.0\.1:1 does not answer: connection refused \(127\.0\.0\.1:1\)\n$/,
    );
    expect(code).to.equal(1);
  });
});
