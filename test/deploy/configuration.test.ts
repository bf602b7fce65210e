import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the operator\u2019s guide', () => {
  for (const [path, language] of [
    ['deploy/nginx/gateway.conf', 'nginx'],
    ['deploy/systemd/artist-gateway.service', 'ini'],
  ] as const) {
    it(`quotes ${path} to the letter`, () => {
      expect(read('docs/operating.md')).to.include(`\n\`\`\`${language}\n${read(path)}\`\`\`\n`);
    });
  }
});

const workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      strategy: z.object({ matrix: z.object({ line: z.array(z.string()) }) }).optional(),
      steps: z.array(z.object({ run: z.string().optional() })),
    }),
  ),
});

describe('the workflows', () => {
  it('name every action by digest, with its version beside it', () => {
    const used = readdirSync(new URL('../../.github/workflows', import.meta.url)).flatMap((name) => [
      ...read(`.github/workflows/${name}`).matchAll(/uses: (.+)/g),
    ]);
    expect(used).to.not.be.empty;
    for (const [, action] of used) expect(action).to.match(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});

describe('the workflow of every push', () => {
  it('runs scripts/test.sh, on every supported line of Node, and compose as the guide starts it, and nothing of its own', () => {
    const { jobs } = workflow.parse(parse(read('.github/workflows/ci.yml')));
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    const commands = ['./scripts/test.sh', './scripts/try-compose.sh', `./scripts/test.sh --node \${{ matrix.line }}`];
    expect(runs).to.deep.equal(commands);
    expect(jobs['node']?.strategy?.matrix.line).to.deep.equal(['20.19', '22', '24']);
  });
});

const isLinux = process.platform === 'linux'; // systemd runs nowhere else

if (isLinux) {
  describe('the systemd unit', () => {
    let folder: string;
    let unit: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'artist-gateway-unit-'));
      unit = join(folder, 'artist-gateway.service');
      const program = '/opt/artist-gateway/node_modules/.bin/artist-gateway'; // which test/deploy/installation.test.ts verifies
      writeFileSync(unit, read('deploy/systemd/artist-gateway.service').replace(program, process.execPath));
    });
    after(() => rmSync(folder, { recursive: true }));

    const analyze = (...command: readonly string[]): string =>
      execFileSync('systemd-analyze', [...command, unit], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

    it('is verified by systemd-analyze without a remark', () => {
      expect(analyze('verify', '--man=no')).to.equal('');
    });

    it('has an exposure of at most 2.0', () => {
      const [, exposure] = /Overall exposure level for .*: ([\d.]+) /.exec(analyze('security', '--offline=true')) ?? [];
      expect(Number(exposure)).to.be.at.most(2);
    });

    it('has the settings of the guide for restarts, core dumps, copies and the time of a stop', () => {
      const lines = read('deploy/systemd/artist-gateway.service').split('\n');
      expect(lines).to.include.members([
        'StartLimitIntervalSec=0',
        'LimitCORE=0',
        'Restart=on-failure',
        'TimeoutStopSec=20',
        'StateDirectory=artist-gateway',
        'Environment=STATE_DIR=%S/artist-gateway',
      ]);
    });
  });
}
