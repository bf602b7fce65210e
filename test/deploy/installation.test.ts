import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { guideSteps } from '../support/deploy/guide-steps.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { projectFolder } from '../support/deploy/working-copy.ts';
import { demoKey } from '../support/documents.ts';
import { startNginx } from '../support/faults/nginx.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { startLoad } from '../support/load.ts';
import { isFreePort } from '../support/ports.ts';
import { rejectionOf } from '../support/wait.ts';

/** Settings of an instance over the example catalogue. */
const sandbox = { NODE_ENV: 'test', MONGODB_URL_FILE: '', REDIS_URL_FILE: '', STATE_DIR: '' };

/** A free port that is another free one with a 1 before it. */
const freeInstance = async (): Promise<string> => {
  for (;;) {
    const port = randomInt(1_024, 5_536);
    if ((await isFreePort(port)) && (await isFreePort(Number(`1${port}`)))) return String(port);
  }
};

describe('a gateway installed as the guide says', () => {
  const cleanup = useCleanup(after);
  let root: string;
  let unit: string;
  let packed: string;
  let install: (stubs?: string) => Promise<void>;
  /** Has the files that the guide installs name files below the folder of this test. */
  let relocate: () => Promise<void>;
  let installed: readonly [unit: string, command: string];
  const below = (text: string): string =>
    text.replaceAll(/(?<=[=: -])\/(?=(opt|etc|usr\/local)\/)/g, `${root}/`);
  before(async () => {
    root = await cleanup.makeFolder('root');
    // of the build that is there
    const packing = ['pack', '--silent', '--ignore-scripts', '--pack-destination', root];
    packed = join(root, (await runProgram('npm', packing, projectFolder)).trim());
    for (const folder of ['etc/systemd/system', 'usr/local/bin'])
      await mkdir(join(root, folder), { recursive: true });
    const steps = guideSteps('Deploying the gateway').replace('./artist-gateway-0.1.0.tgz', packed);
    const enabled = 'enable --now artist-gateway@3000 artist-gateway@3001';
    const stubs = `systemctl() { [ "$*" = '${enabled}' ]; }\nartist-gateway() { [ "$*" = doctor ]; }\n`;
    unit = join(root, 'etc/systemd/system/artist-gateway@.service');
    installed = [unit, join(root, 'usr/local/bin/artist-gateway')];
    relocate = async () => {
      for (const file of installed) await writeFile(file, below(readFileSync(file, 'utf8')));
    };
    install = async (more = '') => {
      await runProgram('bash', ['-euc', stubs + more + below(steps)]);
      await relocate();
    };
    await install();
  });

  const settingOf = (name: string): string =>
    new RegExp(`^${name}=(.+)$`, 'm').exec(readFileSync(unit, 'utf8'))?.[1] ?? '';

  /** The variables that name credentials, which systemd puts into a folder (`%d`). */
  const credentials = (): Record<string, string> => {
    const text = readFileSync(unit, 'utf8');
    const files = new Map(
      [...text.matchAll(/^LoadCredential=([\w-]+):(.+)$/gm)].map(([, id, file]) => [id, file]),
    );
    const named = [...text.matchAll(/(\w+_FILE)=%d\/([\w-]+)/g)];
    return Object.fromEntries(
      named.map(([, name, id]) => [name, files.get(id) ?? 'no credential']),
    );
  };

  /** Starts an instance of the unit, with other settings than the file's. */
  const startInstance = (
    instance: string,
    settings: Record<string, string>,
  ): Promise<GatewayProcess> => {
    const given = [
      ...settingOf('Environment').split(' '),
      ...readFileSync(settingOf('EnvironmentFile'), 'utf8').split('\n'),
    ];
    const variables = given
      .filter((text) => text !== '')
      .map((text) => text.replace('%i', instance).split('=', 2));
    const env = {
      ...Object.fromEntries(variables),
      ...credentials(),
      STATE_DIR: join(root, 'state', instance),
      ...settings,
    };
    return startGatewayProcess(env, { command: settingOf('ExecStart').split(' '), cwd: '/' });
  };

  it('stores settings that only their owner can read', () => {
    expect(statSync(settingOf('EnvironmentFile')).mode & 0o777).to.equal(0o600);
    const files = credentials();
    expect(Object.keys(files)).to.deep.equal(['MONGODB_URL_FILE', 'REDIS_URL_FILE']);
    for (const file of Object.values(files)) {
      expect(statSync(dirname(file)).mode & 0o777, file).to.equal(0o700);
      expect(readFileSync(file, 'utf8')).to.match(/^(mongodb|redis):\/\/localhost/);
    }
  });

  it('keeps its settings when the guide is followed again', async () => {
    const urls = ['mongodb', 'operator-mongodb', 'redis'].map(
      (name) => `artist-gateway/${name}-url`,
    );
    const files = ['artist-gateway.env', ...urls].map((name) => join(root, 'etc', name));
    const before = files.map((file) => readFileSync(file, 'utf8'));
    for (const file of files) await writeFile(file, '# changed\n');
    await install('npm() { :; }\n');
    for (const file of files) expect(readFileSync(file, 'utf8'), file).to.equal('# changed\n');
    for (const [at, file] of files.entries()) await writeFile(file, before[at] ?? '');
  });

  it('starts as the unit starts it, in production', async () => {
    const gateway = await cleanup.start(startInstance(await freeInstance(), {}));
    await gateway.stop();
    expect(await gateway.exit).to.deep.equal({ code: 0, signal: null });
  });

  it('compares both forms with the keys of the nightly unit', async () => {
    const gateway = await cleanup.start(startInstance(await freeInstance(), sandbox));
    const nightly = below(
      readFileSync(join(root, 'etc/systemd/system/artist-gateway-compare.service'), 'utf8'),
    );
    const line = /^ExecStart=(.+)$/m.exec(nightly)?.[1] ?? '';
    const [program = '', ...args] = line.replace(/\$\{COMPARE_URL\}/, gateway.url).split(' ');
    const keys = `CURRENT_KEY=${demoKey('qaCurrent')} VARIANT_KEY=${demoKey('qaVariant')}`;
    const run = (given: string) => runProgram('env', [...given.split(' '), program, ...args]);
    await run(keys);
    expect(await rejectionOf(run('CURRENT_KEY= VARIANT_KEY='))).to.include('CURRENT_KEY');
    await gateway.stop();
  });

  it('runs commands with the settings of the unit, and with the operator’s MongoDB user', async () => {
    const command = join(root, 'usr/local/bin/artist-gateway');
    const printEnvironment = join(root, 'opt/artist-gateway/node_modules/.bin/artist-gateway');
    await rename(printEnvironment, `${printEnvironment}.link`);
    await writeFile(
      printEnvironment,
      'const { MONGODB_URL_FILE, REDIS_URL_FILE, STATE_DIR } = process.env;' +
        'console.log(MONGODB_URL_FILE, REDIS_URL_FILE, STATE_DIR, process.argv.slice(2).join());',
    );
    const folder = join(root, 'etc/artist-gateway');
    const state = '/var/lib/artist-gateway/3000 keys,list';
    expect(await runProgram(command, ['keys', 'list'])).to.equal(
      `${folder}/operator-mongodb-url ${folder}/redis-url ${state}\n`,
    );
    const given = ['MONGODB_URL=mongodb://other/db', command, 'keys', 'list'];
    expect(await runProgram('env', given)).to.equal(`undefined ${folder}/redis-url ${state}\n`);
    await rename(`${printEnvironment}.link`, printEnvironment);
  });

  /** The variables of a command whose file of settings has these lines. */
  const readSettings = async (lines: readonly string[]): Promise<string> => {
    const file = join(root, 'settings.env');
    await writeFile(file, lines.join('\n'));
    const script = readFileSync(join(root, 'usr/local/bin/artist-gateway'), 'utf8')
      .replaceAll(join(root, 'etc/artist-gateway.env'), file)
      .replace(/^exec .*$/m, 'env');
    return runProgram('env', [
      ...['-i', `PATH=${process.env['PATH']}`, 'CALLER=caller', 'sh', '-c', script],
    ]);
  };

  it('reads a file of settings for commands like systemd does for the units', async () => {
    const rows: readonly (readonly [line: string, name?: string, value?: string])[] = [
      ['# PLAIN=comment'],
      ['PLAIN=a#b c=d ', 'PLAIN', 'a#b c=d'],
      ['  ; INDENTED=comment'],
      ['# a\\b'],
      ['  INDENTED=1', 'INDENTED', '1'],
      ['BEFORE =\t2', 'BEFORE', '2'],
      ['AFTER= 3', 'AFTER', '3'],
      ['SINGLE=\'a "b" #c\'', 'SINGLE', 'a "b" #c'],
      ['DOUBLE= "a \'b\' " ', 'DOUBLE', "a 'b' "],
      ['WITHIN=a"b"', 'WITHIN', 'a"b"'],
      ['EMPTY=', 'EMPTY', ''],
      ['not a variable=1'],
      ['CALLER=file', 'CALLER', 'caller'],
      ['TWICE=first'],
      ['TWICE=last', 'TWICE', 'last'],
      ['LAST=without a line end', 'LAST', 'without a line end'],
    ];
    const printed = await readSettings(rows.map(([line]) => line));
    const variables = new Map(
      printed.split('\n').map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')]),
    );
    for (const [line, name, value] of rows)
      if (name !== undefined) expect(variables.get(name), line).to.equal(value);
    expect(printed).to.not.match(/comment|not a variable/);
  });

  for (const [what, line] of [
    ['a backslash', 'N=a\\hush'],
    ['an escaped quote', 'N="a\\"hush"'],
    ['a continued line', 'N=hush\\'],
    ['a continued comment', '# hush\\'],
    ['text after quotes', 'N="a"hush'],
    ['two quoted parts', "N='a' 'hush'"],
    ['quotes over two lines', 'N="hush'],
  ] as const)
    it(`rejects a file of settings for commands with ${what}, without showing its value`, async () => {
      const refused = await rejectionOf(readSettings(['A=1', line, 'B="', '']));
      expect(refused).to.include(
        `Line 2 of ${join(root, 'settings.env')} has a backslash, or quotes`,
      );
      expect(refused).to.not.include('hush');
    });

  it('is upgraded behind nginx, with its units, without losing a request', async function () {
    this.timeout(300_000); // it installs, and each gateway answers for 4 s more
    const ports = [await freeInstance(), await freeInstance()] as const;
    // It still answers for half of the grace period, longer than nginx leaves the other one alone:
    // 3 s, since it counts whole seconds.
    const settings = { ...sandbox, SHUTDOWN_GRACE_SECONDS: '8' };
    const gateways = new Map<string, GatewayProcess>();
    const restart = async (port: string): Promise<void> => {
      await gateways.get(port)?.stop();
      gateways.set(port, await cleanup.start(startInstance(port, settings)));
    };
    for (const port of ports) await restart(port);
    const nginx = await cleanup.start(startNginx([Number(ports[0]), Number(ports[1])]));
    const systemd = createServer((request, response) => {
      const [, port] = String(request.url).split('@');
      (port === undefined ? relocate() : restart(port)).then(
        () => response.end(),
        () => response.destroy(),
      );
    }).listen(0, '127.0.0.1');
    cleanup.add(systemd, async () => void systemd.close());
    await once(systemd, 'listening');
    const { port: control } = systemd.address() as AddressInfo; // a TCP address is never a string
    const load = startLoad(
      () =>
        nginx.get('/api/v1/artists?limit=1', { Authorization: `Bearer ${demoKey('qaCurrent')}` }),
      25,
    );
    const before = [...gateways.values()];
    for (const file of installed) await writeFile(file, '# of the previous release\n');
    const steps = below(guideSteps('Upgrade'))
      .replace('./artist-gateway-0.2.0.tgz', `--prefer-offline ${packed}`)
      .replace('3000 3001', ports.join(' '));
    const systemctl = `systemctl() { curl -fsS "http://127.0.0.1:${control}/\${2:-$1}"; }\n`;
    await runProgram('bash', ['-euc', systemctl + steps]);
    const samples = await load.stop();
    expect(before.map((gateway) => gateway.isAlive())).to.deep.equal([false, false]);
    for (const file of installed)
      expect(readFileSync(file, 'utf8'), file).to.not.include('# of the previous release');
    expect(new Set(samples.map(({ answer }) => answer?.status))).to.deep.equal(new Set([200]));
  });

  if (process.platform === 'linux') {
    it('has units that systemd-analyze verifies, their programs included', async () => {
      const timers = ['backup', 'import', 'compare'].map((job) =>
        join(root, `etc/systemd/system/artist-gateway-${job}.timer`),
      );
      const units = [unit, ...timers];
      expect(await runProgram('systemd-analyze', ['verify', '--man=no', ...units])).to.equal('');
    });
  }
});
