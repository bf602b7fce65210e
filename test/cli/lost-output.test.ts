import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { keyIdIn } from '../../src/keys/key-format.ts';
import { useCleanup } from '../support/cleanup.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { builtCommand, run } from '../support/cli/run.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/wait.ts';

/** Where standard output goes. */
const outputs = {
  'a closed pipe': '| true',
  'a pipe closed early': '| head -c 10',
  'a slow reader': '| (sleep 1; cat)',
  'no descriptor': '>&-',
  '/dev/null': '> /dev/null',
  'a full disk': '> /dev/full',
  // A file that may have 1,024 bytes, and has all but 10 of them.
  'a disk with 10 bytes left': '>> "$NEARLY_FULL"',
} as const;

type Output = keyof typeof outputs;

const incomplete = /The output is incomplete: standard output cannot be written \(ENOSPC\)\./;
const issue = 'keys issue --organization acme --form current --partner P --scopes artists:read';

describe('a command whose output is lost', () => {
  const operator = useOperatorEnvironment();
  const folder = useInputFolder();
  const cleanup = useCleanup(afterEach);

  /** Runs a command with this output. The exit code is its own. */
  const pour = async (words: string, output: Output) => {
    const command = [process.execPath, builtCommand()].map((word) => `'${word}'`).join(' ');
    const NEARLY_FULL = join(await cleanup.makeFolder('nearly-full'), 'output');
    const fill = 'head -c 1014 /dev/zero > "$NEARLY_FULL"; ulimit -f 1';
    const limit = output === 'a disk with 10 bytes left' ? fill : ':';
    // A closed pipe is closed before the command writes, since its start takes longer.
    const script = `${limit}; ${command} ${words} ${outputs[output]}; exit \${PIPESTATUS[0]}`;
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

  before(async () => {
    await operator.done('organizations set acme --name Acme');
    const artists = Array.from({ length: 2_000 }, (_, n) => ({
      _id: `d${n}`,
      id: `a${n}`,
      name: 5,
    }));
    await folder.write('artists', artists);
  });
  beforeEach(() => operator.collection('api_keys').deleteMany({}));

  for (const [output, reason, rotates] of [
    ['a closed pipe', 'was closed', false],
    ['a full disk', 'cannot be written (ENOSPC)', true],
    ['a disk with 10 bytes left', 'cannot be written (EFBIG)', false],
  ] as const)
    it(`stores a key and names the remedy, for ${output}`, async () => {
      const previous = rotates ? (await operator.issue('current')).id : undefined;
      const words = rotates ? `keys rotate ${previous} --overlap 1h` : issue;
      const { code, stderr } = await pour(words, output);
      const id = (await keys()).at(-1)?._id;
      const remedy = `The text of key ${id} is lost: run "artist-gateway keys rotate ${id} --overlap 0s" to replace it.\nStandard output ${reason}.\n`;
      expect([code, stderr.endsWith(remedy)], stderr).to.deep.equal([1, true]);
      expect(id).to.be.a('string').and.not.equal(previous);
    });

  it('stores no key if its text would be discarded', async () => {
    const { id } = await operator.issue('current');
    const before = await keys();
    const poured = [
      pour(issue, 'no descriptor'),
      pour(`keys rotate ${id} --overlap 0s`, '/dev/null'),
    ];
    for (const result of await Promise.all(poured))
      expect(result).to.deep.equal({
        code: 1,
        stdout: '',
        stderr:
          'No key created: standard output is closed or /dev/null, so the key would be lost.\n',
      });
    expect(await keys()).to.deep.equal(before);
  });

  /** A proxy that holds the reply to the insert of a key, and the settings of a command behind it. */
  const startProxy = async () => {
    const url = new URL(operator.settings['MONGODB_URL'] ?? '');
    const proxy = cleanup.add(await startTcpProxy(Number(url.port)), ({ close }) => close());
    url.port = String(proxy.port);
    url.searchParams.set('retryWrites', 'false'); // the proxy would hold the retry, too
    proxy.delayRequests((chunk) => {
      if (chunk.includes('insert') && chunk.includes('api_keys')) setImmediate(proxy.hold);
      return 0;
    });
    return { proxy, settings: { ...operator.settings, MONGODB_URL: url.href } };
  };

  it('names the key that a broken connection may have left without its text', async () => {
    const { proxy, settings } = await startProxy();
    const running = run(settings, issue.split(' '));
    await until('the key is stored', async () => (await keys()).length === 1);
    proxy.reset(); // before the reply to the insert has come through
    proxy.release();
    const { code, stdout, stderr } = await running;
    const [key] = await keys();
    expect(stderr)
      .to.include(
        `If "artist-gateway keys list" shows key ${key?._id}, its text is lost: revoke it.\n`,
      )
      .and.match(/MongoDB cannot be reached \(connection lost\): .*\n$/);
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
  });

  for (const [signal, rotates] of [
    ['SIGTERM', true],
    ['SIGHUP', false],
  ] as const)
    it(`prints a key that is being stored before it exits on ${signal}`, async () => {
      const { proxy, settings } = await startProxy();
      const { id } = await operator.issue('current');
      const words = rotates ? `keys rotate ${id} --overlap 0s` : issue;
      const onSignal = `data:text/javascript,process.once('${signal}',()=>console.error('signal'))`;
      const env = { PATH: process.env['PATH'], ...settings };
      const child = spawn(
        process.execPath,
        ['--import', onSignal, builtCommand(), ...words.split(' ')],
        { env },
      );
      const ended = once(child, 'close');
      const printed = text(child.stdout);
      await until('the key is stored', async () => (await keys()).length === 2);
      for (let times = 0; times < 2; times++) child.kill(signal); // npm repeats Ctrl-C
      await once(child.stderr, 'data');
      proxy.release();
      expect(await ended).to.deep.equal([null, signal]);
      const [previous, made] = await keys();
      expect(keyIdIn((await printed).trim())).to.equal(made?._id);
      expect(previous?.['replaced_by']).to.equal(rotates ? made?._id : undefined);
    });

  for (const [words, output, code, said] of [
    ['keys list', 'a full disk', 1, incomplete],
    ['--help', 'a full disk', 1, incomplete],
    ['compare --case health --json --html FOLDER/report.html', 'a full disk', 1, incomplete],
    ['catalogue schema artists', 'a pipe closed early', 0, /^$/],
    ['catalogue import FOLDER --json', 'a closed pipe', 1, / errors in \d+ documents/],
  ] as const)
    it(`exits with ${code} for ${output}: ${words}`, async () => {
      const { code: own, stderr } = await pour(words.replace('FOLDER', folder.path), output);
      expect(own, stderr).to.equal(code);
      expect(stderr).to.match(said);
    });

  it('writes all to a slow reader before it fails', async () => {
    const words = `catalogue validate ${folder.path} --json`;
    const { code, stdout } = await pour(words, 'a slow reader');
    expect(code).to.equal(1);
    expect(JSON.parse(stdout)).to.have.property('refused');
    expect(stdout.length).to.be.above(2 ** 18);
  });
});
