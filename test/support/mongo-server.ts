import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MongoBinary } from 'mongodb-memory-server-core';
import { killWithTests, startRestartable } from './child-process.ts';
import { freePort } from './ports.ts';

/** Settings of a server; jongodb ignores them. */
interface MongoSettings {
  /** True if writes with `journal=true` outlast a SIGKILL: SecantusDB then flushes every write. */
  readonly journal?: boolean;
  /** True if it serves known users only. */
  readonly auth?: boolean;
  /** The file with its certificate and key (PEM), with which it accepts TLS only. */
  readonly tls?: { readonly certificate: string };
}

/** How to start a kind of server. */
interface Launcher {
  readonly binary: () => string | undefined | Promise<string>;
  /** @param folder an empty folder of its own */
  readonly args: (port: number, folder: string, settings: MongoSettings) => readonly string[];
  /** What it prints when it listens. */
  readonly ready: RegExp;
  readonly missing: string;
}

/** Of the package in `mongodb/`, for Linux x64; an optional dependency. */
const jongodbBinary = (): string | undefined => {
  try {
    // `import.meta.resolve` is missing if the test runner loads a test as a CommonJS module.
    const { resolve } = createRequire(new URL('mongodb/package.json', import.meta.url));
    const folder = dirname(resolve('@jongodb/memory-server-bin-linux-x64-gnu/package.json'));
    return join(folder, 'bin', 'jongodb');
  } catch {
    return undefined;
  }
};

const launchers: Readonly<Record<string, Launcher>> = {
  /** A part of the wire protocol, in memory: restarts empty, within 20 ms. */
  jongodb: {
    binary: jongodbBinary,
    args: (port) => ['--host=127.0.0.1', `--port=${port}`, '--database=test'],
    ready: /JONGODB_URI=/,
    missing: 'jongodb is missing: npm ci --prefix test/support/mongodb (Linux x64)',
  },
  /** The protocol in Python, over the storage engine of `mongod`. */
  secantus: {
    binary: () => fileURLToPath(new URL('python/venv/bin/secantusd-py', import.meta.url)),
    args: (port, folder, { journal, auth, tls }) => [
      ...['--port', `${port}`, '--storage-path', folder, '--cache-size', '64M'],
      '--enable-test-commands',
      ...(journal ? ['--sync-on-commit'] : []),
      ...(auth ? ['--auth'] : []),
      ...(tls ? ['--tls-cert-file', tls.certificate, '--tls-key-file', tls.certificate] : []),
    ],
    ready: /secantus listening/,
    missing: 'SecantusDB is missing: ./scripts/test.sh mongodb installs it',
  },
  /** MongoDB: the `mongod` that `MONGOMS_SYSTEM_BINARY` names, or a binary downloaded once. */
  mongod: {
    binary: () => MongoBinary.getPath({ version: '8.0.4' }),
    args: (port, folder, { auth, tls }) => [
      ...['--bind_ip', '127.0.0.1', '--port', `${port}`, '--dbpath', folder],
      ...['--setParameter', 'enableTestCommands=1'],
      ...(auth ? ['--auth'] : []),
      ...(tls ? ['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', tls.certificate] : []),
    ],
    ready: /Waiting for connections/,
    missing:
      'No MongoDB server for the tests, and none could be downloaded. On Linux x64 run ' +
      '"npm ci --prefix test/support/mongodb", elsewhere set TEST_MONGODB_URL to a server whose test databases may be overwritten.',
  },
};

/** The server that `TEST_MONGODB_SERVER` names; by default jongodb if installed, else `mongod`. */
const chosenLauncher = (): Launcher => {
  const name =
    process.env['TEST_MONGODB_SERVER'] || (jongodbBinary() === undefined ? 'mongod' : 'jongodb');
  const launcher = Object.hasOwn(launchers, name) ? launchers[name] : undefined;
  if (launcher !== undefined) return launcher;
  const names = Object.keys(launchers).join(', ');
  throw new Error(`TEST_MONGODB_SERVER is "${name}": it must be one of ${names}.`);
};

const launch = async (
  { binary, args, ready, missing }: Launcher,
  port: number,
  folder: string,
  settings: MongoSettings,
): Promise<ChildProcess> => {
  const command = await Promise.resolve(binary()).catch((cause: unknown) => {
    throw new Error(missing, { cause });
  });
  if (command === undefined || !existsSync(command)) throw new Error(missing);
  const child = spawn(command, args(port, folder, settings), { stdio: ['ignore', 'pipe', 'pipe'] });
  killWithTests(child);
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        if (ready.test(line)) resolve();
        if (lines.length < 50) lines.push(line);
      });
    child.once('error', reject);
    child.once('exit', () =>
      reject(new Error(`${command} ended before it listened:\n${lines.join('\n')}`)),
    );
  });
  return child;
};

/**
 * Starts a server on a free loopback port. A test may kill, pause and restart it on the same port.
 * jongodb restarts empty, the others with their data.
 */
export const startMongoProcess = async (settings: MongoSettings = {}) => {
  const launcher = chosenLauncher();
  const folder = mkdtempSync(join(tmpdir(), 'artist-gateway-mongodb-'));
  const port = await freePort();
  const server = await startRestartable<MongoSettings>(folder, (changed = settings) =>
    launch(launcher, port, folder, changed),
  );
  return {
    ...server,
    port,
    /** The URL of a database on this server, or behind a proxy on another port. */
    url: (database: string, proxied = port) =>
      `mongodb://127.0.0.1:${proxied}/${database}?directConnection=true`,
  };
};

export type MongoProcess = Awaited<ReturnType<typeof startMongoProcess>>;

/** A MongoDB server for tests, reached by the real driver. */
export type MongoServer = Pick<MongoProcess, 'port' | 'url' | 'stop'>;

/** Uses the server that `TEST_MONGODB_URL` names, or starts one. */
export const startMongoServer = async (): Promise<MongoServer> => {
  const external = process.env['TEST_MONGODB_URL'];
  if (external === undefined || external === '') return startMongoProcess();
  return {
    port: Number(new URL(external).port || 27017),
    url(database, proxied) {
      const url = new URL(external);
      url.pathname = `/${database}`;
      if (proxied !== undefined) url.host = `127.0.0.1:${proxied}`;
      return url.href;
    },
    stop: async () => {},
  };
};
