import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';
import { runProgram } from '../support/deploy/run-program.ts';
import { readProjectFile } from '../support/deploy/working-copy.ts';

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
  it('and the image use the Node of .nvmrc', () => {
    const node = readProjectFile('.nvmrc').trim();
    const bases = [...readProjectFile('Dockerfile').matchAll(/^FROM \S*?node(?:js)?:?(\d+)-/gm)];
    expect(bases.map(([, line]) => line)).to.deep.equal([node, node]);
  });

  it('name every action by digest, with its version beside it', () => {
    const used = readdirSync(new URL('../../.github/workflows', import.meta.url)).flatMap(
      (name) => [...readProjectFile(`.github/workflows/${name}`).matchAll(/uses: (.+)/g)],
    );
    expect(used).to.not.be.empty;
    for (const [, action] of used)
      expect(action).to.match(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('run scripts/test.sh on every supported Node, and compose as the guide starts it', () => {
    const { jobs } = workflow.parse(parse(readProjectFile('.github/workflows/ci.yml')));
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    const commands = [
      './scripts/test.sh',
      './scripts/try-compose.sh',
      `./scripts/test.sh --node \${{ matrix.line }}`,
    ];
    expect(runs).to.include.members(commands);
    expect(jobs['node']?.strategy?.matrix.line).to.deep.equal(['20.19', '22', '24', '26']);
  });
});

// which test/deploy/installation.test.ts verifies
const unit = 'deploy/systemd/artist-gateway@.service';

describe('the systemd unit', () => {
  if (process.platform === 'linux') {
    it('has an exposure of at most 2.0', async () => {
      const analyzed = await runProgram('systemd-analyze', ['security', '--offline=true', unit]);
      const [, exposure] = /Overall exposure level for .*: ([\d.]+) /.exec(analyzed) ?? [];
      expect(Number(exposure)).to.be.at.most(2);
    });
  }

  it('has the settings of the guide for restarts, core dumps, copies and the time of a stop', () => {
    expect(readProjectFile(unit).split('\n')).to.include.members([
      'StartLimitIntervalSec=0',
      'LimitCORE=0',
      'Restart=always',
      'TimeoutStopSec=20',
      'StateDirectory=artist-gateway/%i',
      'Environment=STATE_DIR=%S/artist-gateway/%i',
    ]);
  });
});

describe('the nightly units', () => {
  const readUnit = (name: string): string => readProjectFile(`deploy/systemd/${name}`);

  for (const job of ['backup', 'import'])
    it(`try the ${job} again when it fails, but not for ever, however long each run takes`, () => {
      const service = readUnit(`artist-gateway-${job}.service`);
      expect(readUnit(`artist-gateway-${job}.timer`)).to.include('\nPersistent=yes\n');
      expect(service).to.include('\nRestart=on-failure\n');
      const [limitHours = 0, starts = 0, runHours = 0, pauseSeconds = 0] = [
        /^StartLimitIntervalSec=(\d+)h$/m,
        /^StartLimitBurst=(\d+)$/m,
        /^TimeoutStartSec=(\d+)h$/m,
        /^RestartSec=(\d+)$/m,
      ].map((setting) => Number(setting.exec(service)?.[1]));
      expect(limitHours).to.be.above(starts * (runHours + pauseSeconds / 3600));
    });

  it('compare neither again after a difference nor before the gateways are ready after a boot', () => {
    expect(readUnit('artist-gateway-compare.service')).to.not.match(/^Restart/m);
    expect(readUnit('artist-gateway-compare.timer')).to.not.match(/^Persistent/m);
  });
});

describe('the guides', () => {
  it('name no certificate in the folder that only root reads: the units run as other users', () => {
    const paths = ['deploying', 'operating', 'comparing', 'scaling'].flatMap((name) =>
      [...readProjectFile(`docs/${name}.md`).matchAll(/\/etc\/[\w./-]+\.(?:pem|crt)\b/g)].map(
        ([path]) => path,
      ),
    );
    expect(paths).to.not.be.empty;
    expect(paths.filter((path) => path.startsWith('/etc/artist-gateway/'))).to.deep.equal([]);
  });
});

describe('nginx and Prometheus', () => {
  it('name the gateways that the guide enables', () => {
    const enabled = [
      ...readProjectFile('docs/deploying.md').matchAll(
        /artist-gateway@(\d+)(?= artist-gateway|$)/gm,
      ),
    ].map(([, port]) => port);
    const balanced = [
      ...readProjectFile('deploy/nginx/gateway.conf').matchAll(/server 127\.0\.0\.1:(\d+) /g),
    ].map(([, port]) => port);
    const [, scraped = ''] =
      /targets: \[(.+)\]/.exec(readProjectFile('deploy/prometheus/prometheus.yml')) ?? [];
    expect(new Set(enabled)).to.deep.equal(new Set(balanced));
    expect(scraped.split(', ')).to.deep.equal(balanced.map((port) => `127.0.0.1:1${port}`));
  });
});
