import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { useStarted } from '../support/cleanup.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import type { CommandResult } from '../support/cli/run.ts';
import { runWarm } from '../support/cli/run.ts';
import { demoKey } from '../support/documents.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { until } from '../support/wait.ts';

const keys = { CURRENT_KEY: demoKey('qaCurrent'), VARIANT_KEY: demoKey('qaVariant') };

const compare = (
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<CommandResult> => runWarm(settings, ['compare', ...args]);

describe('artist-gateway compare', () => {
  const folder = useInputFolder();

  it('compares the example catalogue and every row but compression and failures', async () => {
    const [page, junit] = [join(folder.path, 'report.html'), join(folder.path, 'report.xml')];
    const reports = ['--html', page, '--junit', junit];
    const { code, stdout, stderr } = await compare(['--json', '--all', ...reports]);
    const { compared, skipped, ...report } = JSON.parse(stdout);
    expect(report).to.include({ unexpected: 0, now: '2026-08-22T12:00:00.000Z' });
    expect(compared.cases).to.equal(report.cases.length).and.to.be.greaterThan(100);
    expect(compared.items).to.be.greaterThan(500);
    expect(compared.rows.notExercised).to.deep.equal([
      'problem.unavailable',
      'problem.bug',
      'header.Content-Encoding',
    ]);
    const reasonOf = (wanted: string): string =>
      skipped.find(({ name }: { name: string }) => name === wanted)?.reason;
    expect(reasonOf('boundary-added-tomorrow')).to.include('FIXED_NOW=2026-08-21T12:00:00Z');
    expect(reasonOf('boundary-default-page')).to.include('of more than 50 artists has it');
    expect(readFileSync(page, 'utf8')).to.include('No unexpected difference');
    expect(readFileSync(junit, 'utf8')).to.include('<testsuites name="compare"');
    expect(stderr)
      .to.match(/^(Comparing: \d+ of \d+ cases: .+\n)+[^\n]+\n[^\n]+\n$/)
      .and.include(page)
      .and.include(junit);
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
      return JSON.parse(stdout).cases[0].items.current;
    };
    expect(await countSpikes({})).to.not.equal(0);
    expect(await countSpikes({ SPIKE_FLOOR: '1000000000' })).to.equal(0);
    expect(await countSpikes({ SPIKE_THRESHOLD_PERCENT: '100000' })).to.equal(0);
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
    const patterns = ['added', 'signing?', 'spikes-days-z*'];
    const { stdout } = await compare(['--dry-run', '--json', '--case', ...patterns]);
    const names = JSON.parse(stdout).map(({ name }: { readonly name: string }) => name);
    expect(names).to.have.members(['added', 'signings', 'spikes-days-zero']);
  });

  it('--sample compares random artists, and the same ones for its seed', async () => {
    const { code, stderr } = await compare(['--sample', '5']);
    expect(code).to.equal(0);
    const [, seed] = /Sample of 5 of 12 artists; --sample 5:(\d+) repeats it/.exec(stderr) ?? [];
    const again = await compare(['--sample', `5:${seed}`, '--json']);
    const { verdict, cases } = JSON.parse(again.stdout);
    expect([verdict, cases[0].items]).to.deep.equal(['same', { current: 5, variant: 5 }]);
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
      const cases = ['spikes-days-zero', 'signings', 'artist-in-detail', 'no-key'];
      const args = ['--base-url', gateway.url, '--case', ...cases];
      const { stdout, stderr, code } = await compare(args, keys);
      const countSent = () => gateway.lines.filter(isSent).length - before;
      await until('the last one is logged', async () => countSent() >= 15);
      expect(code).to.equal(0);
      expect(stdout).to.match(/^signings\t[1-9]/m);
      expect(stderr).to.include('No unexpected difference.');
      // with those without a key, the first page of each form, and the shortlist
      expect(countSent() - 10).to.equal(5);
    });

    it('compares with one key of both forms, and never prints it', async () => {
      const args = ['--base-url', gateway.url, '--case', 'spikes', '--all', '--json'];
      const { code, stdout, stderr } = await compare(args, { OVERRIDE_KEY: demoKey('qaSwitch1') });
      expect(JSON.parse(stdout)).to.include({ unexpected: 0 });
      expect(stdout + stderr).to.not.include('aik_');
      expect(code).to.equal(0);
    });

    it('compares a sample of known artists, or of given pairs', async () => {
      const sample = (...args: readonly string[]) =>
        compare(['--base-url', gateway.url, '--sample', '3', ...args], keys);
      const { code, stdout } = await sample();
      expect([stdout.split('\n')[1]?.slice(0, 13), code]).to.deep.equal(['sample-by-id\t', 0]);
      const pairs = join(folder.path, 'pair.json');
      const pair = { current: 'art_0dk5mb', variant: '66c98e85f249002f03068e2a' };
      writeFileSync(pairs, JSON.stringify([pair]));
      expect((await sample('--pairs', pairs)).stderr).to.include(
        'Sample of 1 of 1 artists; --sample 3:',
      );
    });
  });

  describe('with invalid arguments', () => {
    const bad = mkdtempSync(join(tmpdir(), 'cases-'));
    after(() => rmSync(bad, { recursive: true }));
    const casesOf = (name: string, text: string): readonly string[] => {
      mkdirSync(join(bad, name));
      writeFileSync(join(bad, name, 'a.json'), text);
      return ['--cases', join(bad, name)];
    };
    const own = { name: 'own', asks: 'Mine', items: 'artists', variant: '/artists' };
    const caseOf = (name: string, current: unknown, more = {}) =>
      casesOf(name, JSON.stringify([{ ...own, current, ...more }]));
    const live = ['--base-url', 'http://127.0.0.1:1'];
    const form = ['--form', 'current', ...live];
    const against = [...form, '--against'];
    const invocations: readonly (readonly [args: readonly string[], message: string])[] = [
      [['--base-url', 'gateway'], 'http:// or https://'],
      [['--case', 'nothing*'], 'There is no case nothing*.'],
      [[...live, '--catalogue', '.'], 'cannot be used with'],
      [['--pairs', 'p.json'], 'goes with --base-url'],
      [['--cases', '/nowhere'], '/nowhere'],
      [casesOf('text', '{oops'), 'a.json: SyntaxError: '],
      [caseOf('keep', { ask: '/artists', keep: [{}] }), '→ at [0].current.keep[0].member'],
      [caseOf('side', { ask: '/artists', page: 2 }), 'Unrecognized key: "page" → at [0].current'],
      [caseOf('twice', '/artists', { name: 'artists' }), 'there are two cases named artists'],
      [['--catalogue', mkdtempSync(join(bad, 'no-artists-'))], 'there is no such file'],
      [['--html', '/nowhere/report.html'], '/nowhere/report.html cannot be written'],
      [['--key', 'aik_a_b'], 'unknown option'],
      [['--write-baseline'], '--write-baseline needs --baseline and --reason.'],
      [['--baseline', 'x.json', '--write-baseline'], 'needs --baseline and --reason.'],
      [['--reason', 'r'], '--reason goes with --write-baseline.'],
      [[...against, 'http://op:pw@127.0.0.1:9'], "argument 'http://…@127.0.0.1:9' is invalid."],
      [['--against', 'x'], '--against and --record go with --form.'],
      [['--form', 'current'], '--form needs --base-url.'],
      [[...against, 'x', '--pairs', 'p'], '--form takes no --pairs.'],
      [form, '--form needs --against or --record.'],
      [[...form, '--record', 'a.json', '--html', 'a.html'], "with option '--html <file>'"],
      [[...against, '/dev/null'], '/dev/null: must be an address of a gateway, or a file'],
    ];
    for (const [args, message] of invocations) {
      it(`exits with 2 for ${args.join(' ').replaceAll(bad, '')}`, async () => {
        const ran = await compare(args, keys);
        expect(ran.stderr).to.include(message);
        expect(ran).to.include({ code: 2, stdout: '' });
      });
    }
  });

  it('exits with 2 without keys, and with 1 when the gateway does not answer', async () => {
    const args = ['--base-url', 'http://127.0.0.1:1'];
    const keyless = await compare(args);
    expect(keyless.stderr).to.include('CURRENT_KEY and VARIANT_KEY');
    expect(keyless.code).to.equal(2);
    const { code, stderr } = await compare(args, keys);
    expect(stderr).to.match(
      /^http:\/\/127\.0\.0\.1:1 does not answer: connection refused \(127\.0\.0\.1:1\)\n$/,
    );
    expect(code).to.equal(1);
  });
});
