import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { describeSettings, readConfig } from '../../src/runtime/config.ts';
import { useCleanup } from '../support/cleanup.ts';
import { readProjectFile } from '../support/deploy/working-copy.ts';
import { createClient, startGatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';

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

const read = (name: string) =>
  parseAllDocuments(readProjectFile(`deploy/kubernetes/${name}`)).map((document) =>
    resource.parse(document.toJS()),
  );
const podOf = (name: string) =>
  pod.parse(read(name).find(({ spec }) => spec.template !== undefined)?.spec.template?.spec);

const manifest = read('gateway.yaml');
const gatewayPod = podOf('gateway.yaml');
const [gateway] = gatewayPod.containers;
const dockerfile = readProjectFile('Dockerfile');
const inImage = (pattern: RegExp): string =>
  pattern.exec(dockerfile)?.[1] ?? 'not in the Dockerfile';
const variablesOf = ({ env }: z.output<typeof container>): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }) => [name, value]));

describe('the manifests for Kubernetes', () => {
  const cleanup = useCleanup(after);

  it('have two gateways, a service and a budget of disruptions for the same pods', () => {
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

  for (const name of ['gateway.yaml', 'import.yaml'])
    it(`run as the user of the image, without a privilege and on a read-only root: ${name}`, () => {
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

  for (const name of ['gateway.yaml', 'import.yaml'])
    it(`set variables that the program knows, and secrets as files of a mounted secret: ${name}`, () => {
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

  it('start the gateway as the image does, with its ports, its options of Node and a longer grace', () => {
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

  it('ask pages of the operations port that answer, /ready for traffic and /live for a restart', async () => {
    const port = await freePort();
    await cleanup.start(startGatewayProcess({ OPERATIONS_PORT: String(port) }));
    const client = cleanup.add(createClient(), async ({ end }) => end());
    for (const [given, path] of [
      [gateway.livenessProbe, '/live'],
      [gateway.readinessProbe, '/ready'],
    ] as const) {
      expect(given?.httpGet).to.deep.equal({ path, port: 'operations' });
      const { status } = await client.get(`http://127.0.0.1:${port}${path}`);
      expect(status, path).to.equal(200);
    }
  });
});
