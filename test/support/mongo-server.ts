import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { killWithTests, startRestartable } from './child-process.ts';
import { chosenServer, type Launcher, launchers, type MongoSettings } from './mongo-launchers.ts';
import { freePort } from './ports.ts';

/** A MongoDB server for tests, reached by the real driver. */
export interface MongoServer {
  readonly port: number;
  /** The URL of a database on this server, or behind a proxy on another port. */
  url(database: string, port?: number): string;
  stop(): Promise<void>;
}

const launch = async (
  { program, args, ready }: Launcher,
  port: number,
  folder: string,
  settings: MongoSettings,
): Promise<ChildProcess> => {
  const [command, ...first] = await program();
  const child = spawn(command, [...first, ...args(port, folder, settings)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killWithTests(child);
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        if (ready.test(line)) resolve();
        if (lines.length < 50) lines.push(line);
      });
    }
    child.once('error', reject);
    child.once('exit', () =>
      reject(new Error(`${command} ended before it listened:\n${lines.join('\n')}`)),
    );
  });
  return child;
};

/**
 * Starts a server on a free loopback port: the one that `TEST_MONGODB_SERVER` names. A test may
 * kill, pause and restart it on the same port. jongodb comes back empty, the others with their
 * data.
 */
export const startMongoProcess = async (settings: MongoSettings = {}) => {
  const launcher = launchers[chosenServer()];
  const folder = mkdtempSync(join(tmpdir(), 'artist-gateway-mongodb-'));
  const port = await freePort();
  const server = await startRestartable<MongoSettings>(folder, (changed = settings) =>
    launch(launcher, port, folder, changed),
  );
  return {
    ...server,
    port,
    url: (database: string, proxied = port) =>
      `mongodb://127.0.0.1:${proxied}/${database}?directConnection=true`,
  };
};

export type MongoProcess = Awaited<ReturnType<typeof startMongoProcess>>;

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
