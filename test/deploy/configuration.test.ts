import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

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

const isLinux = process.platform === 'linux'; // systemd runs nowhere else

if (isLinux) {
  describe('the systemd unit', () => {
    let folder: string;
    let unit: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'artist-gateway-unit-'));
      unit = join(folder, 'artist-gateway.service');
      writeFileSync(unit, read('deploy/systemd/artist-gateway.service').replace('/usr/bin/node', process.execPath));
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

    it('restarts without limit, writes no core dump, keeps copies, and gives a graceful stop more time than it needs', () => {
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
