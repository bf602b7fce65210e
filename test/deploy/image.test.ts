import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { useCleanup } from '../support/cleanup.ts';
import {
  argumentsOf,
  type BuiltImage,
  buildInFolders,
  fromOf,
} from '../support/deploy/dockerfile.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { copyProject, readProjectFile, sizeOf } from '../support/deploy/working-copy.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { rejectionOf } from '../support/wait.ts';

const dockerfile = readProjectFile('Dockerfile');

describe('the image', () => {
  const cleanup = useCleanup(after);
  let image: BuiltImage;
  before(async () => {
    const context = await copyProject(await cleanup.makeFolder('copy'));
    image = await buildInFolders(dockerfile, context, await cleanup.makeFolder('image'));
  });

  it('has a Dockerfile that a linter accepts and that downloads nothing else, with two bases of one line of Node that the update bot can read', () => {
    expect(validate(dockerfile)).to.deep.equal([]);
    expect(dockerfile).not.to.match(/^# *(syntax|check)=/im);
    const images = DockerfileParser.parse(dockerfile)
      .getFROMs()
      .map((from) => from.getImage() ?? '');
    const lines = images.map(
      (image) => /^[\w./-]*?node(?:js)?:?(\d+)-[\w:-]+(@sha256:[0-9a-f]{64})?$/.exec(image)?.[1],
    );
    expect(lines, images.join()).to.deep.equal(['24', '24']);
  });

  it('gets every file that it copies, and nothing else but sources, from its build context', () => {
    const allowed = readProjectFile('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = DockerfileParser.parse(dockerfile)
      .getCOPYs()
      .filter((copy) => fromOf(copy) === undefined)
      .flatMap((copy) => argumentsOf(copy).slice(0, -1));
    expect([...new Set(copied)].sort()).to.deep.equal(allowed.sort());
  });

  it('holds the program and at most 11 MB of packages, those of production only', async () => {
    for (const path of [
      'dist/bin/artist-gateway.js',
      'node_modules/koa',
      'docs/site',
      'fixtures/catalogue',
    ]) {
      expect(existsSync(join(image.workingFolder, path)), path).to.equal(true);
    }
    const others = ['mocha', 'typescript', '.bin/tsc', '@jongodb', 'pino-pretty'].map(
      (name) => `node_modules/${name}`,
    );
    for (const path of ['src', 'test', ...others]) {
      expect(existsSync(join(image.workingFolder, path)), path).to.equal(false);
    }
    expect(await sizeOf(join(image.workingFolder, 'node_modules'))).to.be.at.most(11_000_000);
  });

  it('holds no maps, no empty folders but that of the last good copies, and no tests of packages', async () => {
    const entries = await readdir(image.workingFolder, { recursive: true, withFileTypes: true });
    const pathOf = ({ parentPath, name }: Dirent): string =>
      relative(image.workingFolder, join(parentPath, name));
    const parents = new Set(entries.map(({ parentPath }) => parentPath));
    const empty = entries.filter(
      (entry) => entry.isDirectory() && !parents.has(join(entry.parentPath, entry.name)),
    );
    expect(empty.map(pathOf)).to.deep.equal(['state']);
    const needless = entries
      .map(pathOf)
      .filter((path) => /\.map$|^node_modules\/.*\/(tests?|__tests__)(\/|$)/.test(path));
    expect(needless).to.deep.equal([]);
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
    const [program = '', ...args] = image.command;
    expect(program).to.equal('/nodejs/bin/node');
    const start = (more: Record<string, string>) => {
      const env = {
        ...image.environment,
        HOST: '127.0.0.1',
        PORT: '0',
        OPERATIONS_PORT: '0',
        ...more,
      };
      return startGatewayProcess(env, {
        command: [process.execPath, ...args],
        cwd: image.workingFolder,
      });
    };
    expect(await rejectionOf(start({}))).to.include('ended before it listened, with 2:');
    const gateway = await cleanup.start(start({ NODE_ENV: 'test' }));
    const [, ...healthArgs] = image.healthCommand;
    const checkHealth = (...variables: string[]) =>
      runProgram('env', [...variables, process.execPath, ...healthArgs]);
    const port = `PORT=${new URL(gateway.url).port}`;
    expect(await checkHealth(port, 'OPERATIONS_PORT=0')).to.equal('');
    expect(await checkHealth(port, 'OPERATIONS_PORT=0', 'HOST=::')).to.equal('');
    await gateway.stop();
    await rejectionOf(checkHealth(port, 'OPERATIONS_PORT=0'));
  });

  it('is healthy where /live answers on the address of the operations port', async () => {
    const [, ...healthArgs] = image.healthCommand;
    const [, ...args] = image.command;
    const operations = String(await freePort());
    const env = { NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', OPERATIONS_HOST: '127.0.0.2' };
    const gateway = await cleanup.start(
      startGatewayProcess(
        { ...image.environment, ...env, OPERATIONS_PORT: operations },
        { command: [process.execPath, ...args], cwd: image.workingFolder },
      ),
    );
    const checkHealth = (host: string) =>
      runProgram('env', [
        ...[`OPERATIONS_HOST=${host}`, `OPERATIONS_PORT=${operations}`],
        ...[process.execPath, ...healthArgs],
      ]);
    expect(await checkHealth('127.0.0.2')).to.equal('');
    await rejectionOf(checkHealth('127.0.0.3'));
    await gateway.stop();
    await rejectionOf(checkHealth('127.0.0.2'));
  });
});
