import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { killWithTests, startRestartable } from './child-process.ts';
import { freePort } from './ports.ts';
import { until } from './wait.ts';

/** The name of a command and its arguments. */
type Command = readonly (string | number)[];

const missing =
  'redis-server was not found, and the quota tests need a real one. Install Redis 7.0 or later and have redis-server on ' +
  'the PATH: "apt-get install redis-server" on Debian and Ubuntu, "brew install redis" on macOS.';

const sendCommands = async (port: number, all: readonly Command[]): Promise<readonly unknown[]> => {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    retryStrategy: null,
    enableReadyCheck: false, // a busy or loading server answers with an error
    commandTimeout: 5_000,
    protocol: 2,
  });
  client.on('error', () => {}); // the command rejects too
  try {
    return await Promise.all(all.map(([name, ...args]) => client.call(String(name), ...args)));
  } finally {
    client.disconnect();
  }
};

const sendCommand = async (port: number, ...command: Command): Promise<unknown> =>
  (await sendCommands(port, [command]))[0];

const launch = async (
  port: number,
  args: readonly string[],
  folder: string,
  environment: Record<string, string>,
): Promise<ChildProcess> => {
  const outputFile = join(folder, 'output.log');
  const output = openSync(outputFile, 'a'); // a pipe would keep the test run from ending
  const child = spawn('redis-server', args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  let failure: Error | undefined;
  child.once('error', (error: NodeJS.ErrnoException) => {
    failure = error.code === 'ENOENT' ? new Error(missing) : error;
  });
  child.once('exit', () => {
    failure ??= new Error(
      `redis-server ended before it answered:\n${readFileSync(outputFile, 'utf8')}`,
    );
  });
  // The server neither keeps a test run from ending nor outlives it.
  child.unref();
  killWithTests(child);
  await until(
    `redis-server on port ${port} answers`,
    async () => failure !== undefined || (await sendCommand(port, 'PING')) === 'PONG',
  );
  if (failure !== undefined) throw failure;
  return child;
};

/** Starts `redis-server` with whole arguments, which must make it listen on `port` of 127.0.0.1. */
export const startRedisProcess = async (
  port: number,
  args: readonly string[],
  prepare?: (folder: string) => Promise<void>,
  environment: Record<string, string> = {},
) => {
  const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-redis-'));
  await prepare?.(folder);
  const server = await startRestartable<undefined>(folder, () =>
    launch(port, args, folder, environment),
  );
  return {
    ...server,
    port,
    /** The `redis://` URL of the server, or of a proxy to it on another port. */
    url: (proxied = port) => `redis://127.0.0.1:${proxied}`,
    /** Sends one command over a connection of its own, like `redis-cli`. */
    command: (...command: [name: string, ...Command]) => sendCommand(port, ...command),
    /**
     * Sends commands over one connection without waiting for each reply. Rejects with the first
     * error.
     */
    commands: (all: readonly Command[]) => sendCommands(port, all),
  };
};

/**
 * A `redis-server` process on a free loopback port, on which it is started again. Without
 * persistence it comes back empty.
 */
export type RedisServer = Awaited<ReturnType<typeof startRedisProcess>>;

/**
 * Starts a server without persistence, unless `options` (as on the command line: `--appendonly`,
 * `yes`) say otherwise.
 */
export const startRedisServer = async (...options: readonly string[]): Promise<RedisServer> => {
  const port = await freePort();
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  return startRedisProcess(port, [...own, ...options]);
};
