import { readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { projectFolder } from '../support/deploy/working-copy.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';

describe('a gateway installed as the guide says', () => {
  const cleanup = createCleanup();
  let root: string;
  let unit: string;
  before(async () => {
    root = await cleanup.makeFolder('root');
    const packing = ['pack', '--silent', '--ignore-scripts', '--pack-destination', root]; // of the build that is there
    const packed = await runProgram('npm', packing, projectFolder);
    await mkdir(join(root, 'etc/systemd/system'), { recursive: true });
    const guide = readFileSync(join(projectFolder, 'docs/operating.md'), 'utf8');
    const steps = [...guide.matchAll(/```sh\n((?:npm install --prefix|cp) \/opt\/[^`]+)```/g)].map(([, text]) => text);
    const own = steps
      .join('')
      .replace('./artist-gateway-0.1.0.tgz', join(root, packed.trim()))
      .replaceAll(/(?<= )\/(?=(opt|etc)\/)/g, `${root}/`);
    await runProgram('sh', ['-euc', `systemctl() { [ "$*" = 'enable --now artist-gateway' ]; }\n${own}`]);
    unit = join(root, 'etc/systemd/system/artist-gateway.service');
    const installed = readFileSync(unit, 'utf8').replaceAll(/(?<=[= ])\/(?=(opt|etc)\/)/g, `${root}/`);
    await writeFile(unit, installed);
  });

  after(() => cleanup.run());

  const settingOf = (name: string): string =>
    new RegExp(`^${name}=(.+)$`, 'm').exec(readFileSync(unit, 'utf8'))?.[1] ?? '';

  it('has settings that only its owner reads', () => {
    expect(statSync(settingOf('EnvironmentFile')).mode & 0o777).to.equal(0o600);
  });

  it('is what the unit starts', async () => {
    const settings = [
      ...settingOf('Environment').split(' '),
      ...readFileSync(settingOf('EnvironmentFile'), 'utf8').split('\n'),
    ];
    const given = Object.fromEntries(settings.filter((text) => text !== '').map((text) => text.split('=', 2)));
    const env = { ...given, PORT: '0', OPERATIONS_PORT: '0', STATE_DIR: join(root, 'state') };
    const command = settingOf('ExecStart').split(' ');
    const gateway = await cleanup.start(startGatewayProcess(env, { command, cwd: '/' }));
    await gateway.stop();
    expect(await gateway.exit).to.deep.equal({ code: 0, signal: null });
  });

  if (process.platform === 'linux') {
    it('has a unit that systemd-analyze verifies, its program included', async () => {
      expect(await runProgram('systemd-analyze', ['verify', '--man=no', unit])).to.equal('');
    });
  }
});
