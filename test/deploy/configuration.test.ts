import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { describeSettings, readConfig } from '../../src/runtime/config.ts';
import { useCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { readProjectFile } from '../support/deploy/working-copy.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';

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

  it('name every action by digest and version', () => {
    const used = readdirSync(new URL('../../.github/workflows', import.meta.url)).flatMap(
      (name) => [...readProjectFile(`.github/workflows/${name}`).matchAll(/uses: (.+)/g)],
    );
    expect(used).to.not.be.empty;
    for (const [, action] of used)
      expect(action).to.match(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('run scripts/test.sh on every supported Node, and scripts/try-compose.sh', () => {
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
    it('has a security exposure of at most 2.0', async () => {
      const analyzed = await runProgram('systemd-analyze', ['security', '--offline=true', unit]);
      const [, exposure] = /Overall exposure level for .*: ([\d.]+) /.exec(analyzed) ?? [];
      expect(Number(exposure)).to.be.at.most(2);
    });
  }
});

describe('the nightly units', () => {
  const readUnit = (name: string): string => readProjectFile(`deploy/systemd/${name}`);

  for (const job of ['backup', 'import'])
    it(`retry a failed ${job} a limited number of times`, () => {
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
});

describe('the guides', () => {
  it('name no certificate in a folder that only root reads', () => {
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

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const container = z.object({
  image: z.string(),
  args: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  securityContext: z.unknown().optional(),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const pod = z.object({
  terminationGracePeriodSeconds: z.number().optional(),
  securityContext: z.object({
    runAsNonRoot: z.literal(true),
    runAsUser: z.number(),
    runAsGroup: z.number(),
    fsGroup: z.number(),
  }),
  containers: z.tuple([container]),
  volumes: z.array(
    z.object({ name: z.string(), secret: z.object({ secretName: z.string() }).optional() }),
  ),
});
const resource = z.object({
  kind: z.string(),
  spec: z.object({
    replicas: z.number().optional(),
    selector: z.unknown().optional(),
    ports: z.array(z.object({ targetPort: z.string() })).optional(),
    template: z.object({ metadata: z.unknown().optional(), spec: pod }).optional(),
  }),
});

const readManifest = (name: string) =>
  parseAllDocuments(readProjectFile(`deploy/kubernetes/${name}`)).map((document) =>
    resource.parse(document.toJS()),
  );
const podOf = (name: string) =>
  pod.parse(
    readManifest(name).find(({ spec }) => spec.template !== undefined)?.spec.template?.spec,
  );

const manifest = readManifest('gateway.yaml');
const gatewayPod = podOf('gateway.yaml');
const [gateway] = gatewayPod.containers;
const dockerfile = readProjectFile('Dockerfile');
const inImage = (pattern: RegExp): string =>
  pattern.exec(dockerfile)?.[1] ?? 'not in the Dockerfile';
const variablesOf = ({ env }: z.output<typeof container>): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }) => [name, value]));

describe('the manifests for Kubernetes', () => {
  const cleanup = useCleanup(after);

  it('select the same pods in the deployment, the service and the disruption budget', () => {
    expect(manifest.map(({ kind }) => kind)).to.deep.equal([
      'Deployment',
      'Service',
      'PodDisruptionBudget',
    ]);
    expect(manifest[0]?.spec.replicas).to.equal(2);
    const labels = { 'app.kubernetes.io/name': 'artist-gateway' };
    expect(manifest[0]?.spec.template?.metadata).to.deep.equal({ labels });
    expect(manifest.map(({ spec }) => spec.selector)).to.deep.equal([
      { matchLabels: labels },
      labels,
      { matchLabels: labels },
    ]);
    expect(manifest[1]?.spec.ports?.map(({ targetPort }) => targetPort)).to.deep.equal(['http']);
  });

  for (const name of ['gateway.yaml', 'import.yaml']) {
    it(`run as the user of the image, without privileges, on a read-only root: ${name}`, () => {
      const { securityContext, containers } = podOf(name);
      const { runAsUser, runAsGroup, fsGroup } = securityContext;
      expect(`${runAsUser}:${runAsGroup}`).to.equal(inImage(/^USER (.+)$/m));
      expect(fsGroup).to.equal(runAsGroup);
      expect(containers[0].securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    });
    it(`set known variables, and secrets as files of a mounted secret: ${name}`, () => {
      const { containers, volumes } = podOf(name);
      const variables = variablesOf(containers[0]);
      const known = [...describeSettings().map(({ name }) => name), 'NODE_OPTIONS'];
      expect(Object.keys(variables).filter((variable) => !known.includes(variable))).to.deep.equal(
        [],
      );
      const files = Object.entries(variables).filter(([variable]) => variable.endsWith('_FILE'));
      expect(files).to.not.be.empty;
      const secret = volumes.find((volume) => volume.secret !== undefined)?.name;
      const mount = containers[0].volumeMounts.find((one) => one.name === secret)?.mountPath;
      for (const [variable, file] of files)
        expect(file.startsWith(`${mount}/`), variable).to.equal(true);
      expect(readProjectFile(`deploy/kubernetes/${name}`)).to.not.match(/:\/\/[^/\s]*@/);
    });
  }

  it('start the gateway like the image, with the same ports and Node options', () => {
    expect([gateway.command, gateway.args]).to.deep.equal([undefined, undefined]);
    expect(gateway.ports).to.deep.equal([
      { name: 'http', containerPort: Number(inImage(/ PORT=(\d+)/)) },
      { name: 'operations', containerPort: Number(inImage(/OPERATIONS_PORT=(\d+)/)) },
    ]);
    const options = (variablesOf(gateway)['NODE_OPTIONS'] ?? '').split(' ');
    expect(options).to.include.members(inImage(/NODE_OPTIONS="(.+?)"/).split(' '));
    const graceMs = 1000 * (gatewayPod.terminationGracePeriodSeconds ?? 0);
    expect(graceMs).to.be.above(readConfig({}).shutdownGraceMs + 5_000);
    const state = gateway.volumeMounts.find(({ name }) => name === 'state')?.mountPath;
    expect(variablesOf(gateway)['STATE_DIR']).to.match(new RegExp(`^${state}/\\w+$`));
  });

  it('probe existing pages of the operations port: /ready for traffic, /live for a restart', async () => {
    const port = await freePort();
    await cleanup.start(startGatewayProcess({ OPERATIONS_PORT: String(port) }));
    for (const [given, path] of [
      [gateway.livenessProbe, '/live'],
      [gateway.readinessProbe, '/ready'],
    ] as const) {
      expect(given?.httpGet).to.deep.equal({ path, port: 'operations' });
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(status, path).to.equal(200);
    }
  });
});
