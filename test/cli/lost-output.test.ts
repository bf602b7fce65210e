import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { keyIdIn } from '../../src/keys/key-format.ts';
import { killWithTests } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { builtCommand, run } from '../support/cli/run.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/wait.ts';

/** What reads the standard output of a command. */
const readers = {
  closed: '| true',
  'closed early': '| head -c 10',
  slow: '| (sleep 1; cat)',
  'nobody: it is closed': '>&-',
  'nobody: it is the null device': '> /dev/null',
  'a full disk': '> /dev/full',
  // A file that may have 1,024 bytes, and has all but 10 of them.
  'a disk with room for 10 bytes': '>> "$NEARLY_FULL"',
} as const;

describe('output that is lost', function () {
  this.timeout(120_000);
  const operator = useOperatorEnvironment();
  const [folder, casesFolder] = [useInputFolder(), useInputFolder()];
  const cleanup = useCleanup(afterEach);

  /**
   * Runs a command with its output where nobody, or a slow reader, takes it. The exit code is the
   * command's own.
   */
  const pour = async (args: readonly string[], reader: keyof typeof readers) => {
    const quoted = [process.execPath, builtCommand(), ...args].map((word) => `'${word}'`).join(' ');
    const NEARLY_FULL = join(await cleanup.makeFolder('nearly-full'), 'output');
    const fill = 'head -c 1014 /dev/zero > "$NEARLY_FULL"; ulimit -f 1';
    const limit = reader === 'a disk with room for 10 bytes' ? fill : ':';
    // The reader is gone before the command writes: starting takes longer.
    const script = `${limit}; ${quoted} ${readers[reader]}; exit \${PIPESTATUS[0]}`;
    const env = { PATH: process.env['PATH'], NEARLY_FULL, ...operator.settings };
    const child = spawn('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    return { code: Number(code), stdout, stderr };
  };

  const keys = () => operator.collection('api_keys').find({}).sort({ created_at: 1 }).toArray();
  const scopes = ['--scopes', 'artists:read'];
  const issue = [
    'keys',
    'issue',
    '--organization',
    'acme',
    '--form',
    'current',
    '--partner',
    'P',
    ...scopes,
  ];
  const incomplete = (code: string) =>
    `The output is incomplete: standard output cannot be written (${code}).`;
  const many = 2_000;

  before(async () => {
    await operator.done('organizations set acme --name Acme');
    const side = { ask: '/artists', problem: 'not-found' };
    const wrong = { name: 'wrong', asks: 'A wrong expectation', items: 'artists' };
    const cases = [{ ...wrong, current: side, variant: side }];
    await casesFolder.writeText('cases.json', JSON.stringify(cases));
    await folder.write(
      'artists',
      Array.from({ length: many }, (_, n) => ({ _id: `d${n}`, id: `a${n}`, name: 5 })),
    );
  });
  beforeEach(() => operator.collection('api_keys').deleteMany({}));

  for (const [reader, reason] of [
    ['closed', 'was closed'],
    ['a full disk', 'cannot be written (ENOSPC)'],
    ['a disk with room for 10 bytes', 'cannot be written (EFBIG)'],
  ] as const) {
    it(`issues and rotates a key with exit code 1 and its remedy when its text goes to: ${reader}`, async () => {
      const issued = await pour(issue, reader);
      const [key] = await keys();
      const remedy = (id: unknown) =>
        `The text of key ${id} is lost: run "artist-gateway keys rotate ${id} --overlap 0s" to replace it.`;
      expect(issued.stderr).to.include(remedy(key?._id));
      const lastLine = ({ stderr }: typeof issued) => stderr.trim().split('\n').at(-1);
      expect(lastLine(issued)).to.equal(`Standard output ${reason}.`);
      expect(issued.code).to.equal(1);

      const rotated = await pour(['keys', 'rotate', String(key?._id), '--overlap', '1h'], reader);
      const [previous, successor] = await keys();
      expect(previous).to.include({ replaced_by: successor?._id });
      expect(rotated.stderr).to.include(remedy(successor?._id));
      expect(lastLine(rotated)).to.equal(`Standard output ${reason}.`);
      expect(rotated.code).to.equal(1);
      const again = await operator.done(`keys rotate ${successor?._id} --overlap 0s`);
      expect(again).to.match(/^aik_/);
    });
  }

  it('issues and rotates no key where its text would go to nobody', async () => {
    await operator.issue('current');
    const before = await keys();
    const rotate = ['keys', 'rotate', String(before[0]?._id), '--overlap', '0s'];
    const nobody = ['nobody: it is closed', 'nobody: it is the null device'] as const;
    const poured = nobody.flatMap((reader) =>
      [issue, rotate].map(async (args) =>
        expect(await pour(args, reader), reader).to.deep.equal({
          code: 1,
          stdout: '',
          stderr:
            'Nothing was changed: standard output is closed or the null device, and the text of the key would be lost.\n',
        }),
      ),
    );
    await Promise.all(poured);
    expect(await keys()).to.deep.equal(before);
  });

  it('names the key that a broken connection may have left without its text', async () => {
    const url = new URL(operator.settings['MONGODB_URL'] ?? '');
    const proxy = cleanup.add(await startTcpProxy(Number(url.port)), ({ close }) => close());
    url.port = String(proxy.port);
    proxy.delay(400);
    const running = run({ ...operator.settings, MONGODB_URL: url.href }, issue);
    await until('the key is stored', async () => (await keys()).length === 1);
    proxy.reset(); // before the reply to the insert has come through
    const { code, stdout, stderr } = await running;
    const [key] = await keys();
    expect(stderr).to.include(
      `If "artist-gateway keys list" shows key ${key?._id}, its text is lost: revoke it.\n`,
    );
    expect(stderr).to.match(/MongoDB cannot be reached \(connection lost\): .*\n$/);
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
  });

  /** Starts a command over a connection whose replies are late from the insert of a key on. */
  const startSlowly = async (args: readonly string[]) => {
    const url = new URL(operator.settings['MONGODB_URL'] ?? '');
    const proxy = cleanup.add(await startTcpProxy(Number(url.port)), ({ close }) => close());
    url.port = String(proxy.port);
    proxy.delayRequests((chunk) => {
      if (chunk.includes('insert') && chunk.includes('api_keys')) proxy.delay(1_000);
      return 0;
    });
    const env = { PATH: process.env['PATH'], ...operator.settings, MONGODB_URL: url.href };
    const child = spawn(process.execPath, [builtCommand(), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    killWithTests(child);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk;
      });
    const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    return { proxy, child, output, ended };
  };

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    it(`prints the text of a key that is being stored before it ends by ${signal}`, async () => {
      const issued = await startSlowly(issue);
      await until('the key is stored', async () => (await keys()).length === 1);
      issued.child.kill(signal); // twice: npm passes Ctrl-C on beside the terminal
      issued.child.kill(signal);
      issued.proxy.delay(0);
      expect(await issued.ended).to.deep.equal({ code: null, signal });
      const [key] = await keys();
      expect(keyIdIn(issued.output.stdout.trim())).to.equal(key?._id);

      const rotated = await startSlowly(['keys', 'rotate', String(key?._id), '--overlap', '0s']);
      await until('its successor is stored', async () => (await keys()).length === 2);
      rotated.child.kill(signal);
      rotated.proxy.delay(0);
      expect(await rotated.ended).to.deep.equal({ code: null, signal });
      const [previous, successor] = await keys();
      expect(previous).to.include({ replaced_by: successor?._id });
      expect(keyIdIn(rotated.output.stdout.trim())).to.equal(successor?._id);
    });

  for (const [reader, reason] of [
    ['a full disk', 'ENOSPC'],
    ['a disk with room for 10 bytes', 'EFBIG'],
  ] as const)
    it(`fails and says so when its output goes to: ${reader}`, async () => {
      const poured = ['keys list', 'catalogue schema artists', '--help'].map(async (words) => {
        const { code, stderr } = await pour(words.split(' '), reader);
        expect(stderr, words).to.include(incomplete(reason));
        expect(code, words).to.equal(1);
      });
      await Promise.all(poured);
    });

  it('fails a comparison that finds no difference, also with reports in files', async () => {
    const args = ['compare', '--case', 'health', '--json'];
    const poured = [[], ['--html', join(folder.path, 'report.html')]].map(async (reports) => {
      const { code, stderr } = await pour([...args, ...reports], 'a full disk');
      expect(stderr).to.include(incomplete('ENOSPC'));
      expect(code, reports.join(' ')).to.equal(1);
    });
    await Promise.all(poured);
  });

  it('is no failure of a listing whose reader has enough', async () => {
    const listings = [
      ['organizations list', 'closed'],
      ['catalogue schema artists', 'closed early'],
      ['usage --json', 'closed'],
    ] as const;
    const poured = listings.map(async ([words, reader]) =>
      expect(await pour(words.split(' '), reader), words).to.include({ code: 0, stderr: '' }),
    );
    await Promise.all(poured);
  });

  it('leaves a refusal its exit code and its line, however much was printed and whoever reads it', async () => {
    const refused = [
      ['validate', 'closed'],
      ['validate', 'a full disk'],
      ['import --dry-run', 'closed early'],
      ['import', 'closed'],
    ] as const;
    const poured = refused.map(async ([words, reader]) => {
      const { code, stderr } = await pour(
        ['catalogue', ...words.split(' '), folder.path, '--json'],
        reader,
      );
      expect(code, `${words}, ${reader}`).to.equal(1);
      expect(stderr).to.match(/errors in \d+ documents/);
    });
    await Promise.all(poured);
  });

  for (const [what, member, least, args] of [
    ['an input has errors', 'refused', 2 ** 18, () => ['catalogue', 'validate', folder.path]],
    [
      'a comparison finds differences',
      'cases',
      2 ** 16,
      () => ['compare', '--cases', casesFolder.path],
    ],
  ] as const)
    it(`reaches a slow reader whole when ${what}`, async () => {
      const { code, stdout } = await pour([...args(), '--json'], 'slow');
      expect(code).to.equal(1);
      expect(JSON.parse(stdout)).to.have.property(member);
      expect(stdout.length).to.be.above(least);
    });
});
