import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Dirent, existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readImageSettings } from '../test/support/deploy/dockerfile.ts';
import { projectFolder, sizeOf } from '../test/support/deploy/working-copy.ts';
import { freePort } from '../test/support/ports.ts';
import { until } from '../test/support/wait.ts';

/**
 * Checks what the Dockerfile promises of an image, in its root folder, as root on Linux:
 *   docker export "$(docker create artist-gateway)" | sudo tar --extract --directory ROOT
 *   sudo npx tsx scripts/check-image.ts ROOT
 */
const [root = ''] = process.argv.slice(2);
const image = readImageSettings(await readFile(join(projectFolder, 'Dockerfile'), 'utf8'));
const app = join(root, image.workingFolder);
const port = String(await freePort());
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Runs a command of the image as its user on a read-only root. A signal reaches it as an init hands
 * it on.
 */
const run = (command: readonly string[]) => {
  const variables = {
    ...image.environment,
    PATH: process.env['PATH'],
    NODE_ENV: 'test',
    PORT: port,
    OPERATIONS_PORT: '0',
    SHUTDOWN_GRACE_SECONDS: '0.2',
  };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const enter =
    'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec env -i "$@"';
  const own = command.map((word) => word.replace(/^dist\//, join(image.workingFolder, 'dist/')));
  const chroot = [...assignments, 'chroot', `--userspec=${image.user}`, root, ...own];
  const child = spawn('unshare', ['--mount', 'sh', '-c', enter, 'sh', root, ...chroot], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.add(child);
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  return { child, ended: once(child, 'exit'), printed: () => printed };
};

const expectThat = (isTrue: boolean, what: string): void => {
  process.stdout.write(`${isTrue ? 'ok  ' : 'FAIL'}  ${what}\n`);
  if (!isTrue) process.exitCode = 1;
};

const entries = await readdir(app, { recursive: true, withFileTypes: true });
const pathOf = ({ parentPath, name }: Dirent): string => join(parentPath, name);
const [uid] = image.user.split(':').map(Number);
const owned: string[] = [];
for (const entry of entries) {
  const { uid: owner, mode } = await stat(pathOf(entry));
  if (owner === uid || (mode & 0o002) !== 0) owned.push(relative(app, pathOf(entry)));
}
expectThat(
  owned.join() === 'state',
  `the gateway's user may write to "state" alone (${owned.slice(0, 5)})`,
);
const programs = ['bin/sh', 'usr/bin/sh', 'usr/bin/npm', 'usr/local/bin/npm', 'nodejs/bin/npm'];
expectThat(!programs.some((path) => existsSync(join(root, path))), 'there is no shell and no npm');
expectThat(!entries.some(({ name }) => name.endsWith('.map')), 'there are no maps');
const size = await sizeOf(app);
expectThat(
  size <= 18_000_000,
  `${image.workingFolder} holds at most 18 MB (${(size / 1e6).toFixed(1)})`,
);

const gateway = run(image.command);
await until(
  'it listens',
  () => gateway.printed().includes('"msg":"listening"') || gateway.child.exitCode !== null,
);
const [health] = await run(image.healthCommand).ended;
expectThat(health === 0, 'it is healthy on a read-only root, on another port');
gateway.child.kill('SIGTERM');
await gateway.ended;
const [unhealthy] = await run(image.healthCommand).ended;
expectThat(unhealthy === 1, 'it is not healthy when it is stopped');

for (const delayMs of [0, 50, 100, 200, 400, 800, 1_600]) {
  const { child, ended } = run(image.command);
  await wait(delayMs);
  const startedAt = performance.now();
  child.kill('SIGTERM');
  await ended;
  const ms = Math.round(performance.now() - startedAt);
  expectThat(ms < 5_000, `it ends on a signal ${delayMs} ms after its start (in ${ms} ms)`);
}
