import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig, readStoreSettings } from '../../src/runtime/config.ts';
import { endProcess, killWithTests } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { guideSteps } from '../support/deploy/guide-steps.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { projectFolder, readProjectFile } from '../support/deploy/working-copy.ts';
import { demoKey } from '../support/documents.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { startMongoServer } from '../support/mongo-server.ts';
import { freePort } from '../support/ports.ts';
import { readDocumentedUsers } from '../support/stores/documented-users.ts';
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
      secrets: words,
      environment: z.record(z.string(), z.string()).default({}),
      profiles: words,
      read_only: z.boolean().default(false),
      build: z.string().optional(),
      init: z.boolean().optional(),
      stop_grace_period: z.string().optional(),
      depends_on: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
const parsed: unknown = parse(readProjectFile('compose.yaml'), { merge: true });
const { services, secrets } = composeFile.parse(parsed);
const { environment = {} } = services['gateway-1'] ?? {};

/** A busy machine may be slower than Redis is here; nothing here is about time. */
const patient = { STORE_TIMEOUT_MS: '5000' };

/** The settings of the gateways for Redis on this machine, with their secrets in a folder. */
const redisSettings = (port: number, folder: string): Record<string, string> => ({
  REDIS_URL: (environment['REDIS_URL'] ?? '').replace('@redis:6379', `@127.0.0.1:${port}`),
  REDIS_PASSWORD_FILE: (environment['REDIS_PASSWORD_FILE'] ?? '').replace('/run/secrets', folder),
});

describe('the compose file', () => {
  const cleanup = useCleanup(afterEach);

  /**
   * Runs the command of the service `redis` on a port of its own, with the secrets in a folder, and
   * resolves to the settings of a gateway for it.
   */
  const startRedis = async (folder: string): Promise<Record<string, string>> => {
    const port = await freePort();
    const [shell = '', flag = '', script = ''] = services['redis']?.command ?? [];
    const own = script
      .replaceAll('$$', '$') // as compose reads it
      .replaceAll('/run/secrets/', `${folder}/`)
      .replaceAll('/tmp/users', `${folder}/users`)
      .replaceAll('/config/', `${projectFolder}/deploy/redis/`);
    const more = ` --bind 127.0.0.1 --port ${port} --dir ${folder}`;
    const env = { PATH: process.env['PATH'] };
    const server = spawn(shell, [flag, own.trimEnd() + more], { env, stdio: 'ignore' });
    killWithTests(server);
    cleanup.add(server, endProcess);
    return redisSettings(port, folder);
  };

  it('runs two read-only gateways from one image, with a grace period of 20 s', () => {
    const { 'gateway-1': first, 'gateway-2': second, operator } = services;
    expect(second).to.include({ image: first?.image, init: true });
    expect([first?.build, second?.build]).to.deep.equal(['.', undefined]);
    expect(operator?.profiles).to.deep.equal(['operator']);
    expect(Object.keys(second?.depends_on ?? {})).to.deep.equal(['gateway-1']);
    for (const service of [first, second, operator])
      expect([service?.entrypoint, service?.command]).to.deep.equal([[], []]);
    expect([first?.read_only, second?.read_only]).to.deep.equal([true, true]);
    const [, guide] =
      /docker run --init .*--stop-timeout (\d+) /.exec(readProjectFile('docs/deploying.md')) ?? [];
    const [, unit] =
      /^TimeoutStopSec=(\d+)$/m.exec(readProjectFile('deploy/systemd/artist-gateway@.service')) ??
      [];
    expect([second?.stop_grace_period, guide, unit]).to.deep.equal(['20s', '20', '20']);
    expect(20_000).to.be.above(readConfig({}).shutdownGraceMs + 5_000);
  });

  it('mounts existing files, and a folder of its own for each gateway', () => {
    const all = Object.values(services).flatMap((service) => service.volumes);
    const state = all.filter((volume) => volume.endsWith(':/app/state'));
    expect(state).to.deep.equal(['state-1:/app/state', 'state-2:/app/state']);
    const mounted = all
      .map((volume) => volume.replace(/^\$\{\w+:-([^}]*)\}/, '$1').split(':')[0] ?? '')
      .filter((path) => path.startsWith('./'));
    expect(mounted).to.have.length.above(3);
    expect(mounted.filter((path) => !existsSync(join(projectFolder, path)))).to.deep.equal([]);
  });

  it('passes secrets only as files, and no password in an environment variable', () => {
    const steps = guideSteps('Docker Compose');
    for (const [name, { file }] of Object.entries(secrets)) {
      expect(file).to.equal(`\${SECRETS_DIR:-./secrets}/${name}`);
      expect(steps, name).to.include(name.replace(/-url$/, ''));
    }
    for (const [name, service] of Object.entries(services)) {
      expect(Object.keys(secrets), name).to.include.members([...service.secrets]);
      for (const [variable, value] of Object.entries(service.environment)) {
        if (/PASSWORD$|_URL$/.test(variable)) expect(value, variable).to.not.match(/:[^/@]+@/);
        expect(variable).to.not.match(/PASSWORD$/);
        const [, secret] = /^\/run\/secrets\/(.+)$/.exec(value) ?? [];
        if (secret !== undefined) expect(service.secrets, variable).to.include(secret);
      }
    }
  });

  it('gives MongoDB the users of the guide, with the passwords of the secrets', async () => {
    const folder = await cleanup.makeFolder('passwords');
    for (const user of ['artist-gateway', 'artist-operator'])
      await writeFile(join(folder, user), `of ${user}\n`);
    const { users } = readDocumentedUsers('gateway', 'not asked for', folder);
    expect(users.map(({ createUser, pwd }) => [createUser, pwd])).to.deep.equal([
      ['artist-gateway', 'of artist-gateway'],
      ['artist-operator', 'of artist-operator'],
    ]);
    expect(services['mongodb']?.secrets).to.include.members(['artist-gateway', 'artist-operator']);
  });

  it('gives Redis a user and policy that let the gateway count without warnings', async () => {
    const folder = await cleanup.makeFolder('redis');
    const password = 'Zm9/bGVy+2g= a&b 50% \\1 @:#$HOME "quoted" \' p\u00e4ss';
    await writeFile(join(folder, 'redis'), `${password}\n`);
    const settings = await startRedis(folder);
    const gateway = await cleanup.start(startGatewayProcess({ ...settings, ...patient }));
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

  it('imports, issues keys and serves both forms after the steps of the guide', async () => {
    const folder = await cleanup.makeFolder('steps');
    const mongodb = await cleanup.start(startMongoServer());
    const [making, using] = guideSteps('Docker Compose').split(/(?=^docker compose up)/m);
    const readSecrets = () => runProgram('bash', ['-c', 'head -n 1 secrets/*'], folder);
    await runProgram('bash', ['-euc', making ?? ''], folder);
    const made = await readSecrets();
    await runProgram('bash', ['-uc', making ?? ''], folder); // pasted: goes on after a failure
    expect(await readSecrets(), 'after the second time').to.equal(made);
    expect((await stat(join(folder, 'secrets'))).mode & 0o777).to.equal(0o700);
    const url = await readFile(join(folder, 'secrets/artist-operator-url'), 'utf8');
    expect(readStoreSettings({ MONGODB_URL: url.trim() }).mongodbUrl).to.match(
      /^mongodb:\/\/artist-operator:[0-9a-f]{64}@mongodb:27017\/gateway\?replicaSet=gateway$/,
    );
    const stores = {
      MONGODB_URL: mongodb.url('gateway'),
      ...(await startRedis(join(folder, 'secrets'))),
    };
    const gateway = await cleanup.start(
      startGatewayProcess({ ...stores, ...patient, CATALOGUE_REFRESH_SECONDS: '1' }),
    );
    const data = services['operator']?.volumes
      .find((volume) => volume.endsWith(':/data:ro'))
      ?.replace(/^\$\{DATA_DIR:-\.\/(.+)\}:.*$/, `${projectFolder}/$1`);
    const own = (using ?? '')
      .replace(' /data ', ` ${data} `)
      .replace('http://127.0.0.1:8080', gateway.url);
    const program = join(projectFolder, 'dist/tools/cli/artist-gateway.js');
    // Stands in for the engine: "up" has happened, and "run --rm -T operator" runs the program.
    const docker = `docker() { [ "$2" = up ] && return; shift 5; '${process.execPath}' '${program}' "$@"; }`;
    const script = `set -eu\nexport MONGODB_URL='${stores.MONGODB_URL}'\n${docker}\n${own}`;
    const printed = await runProgram('bash', ['-c', script], folder);
    expect(printed).to.match(/\{"data":\[\{"id":"art_.*\{"success":true,"count":1,/s);
  });
});
