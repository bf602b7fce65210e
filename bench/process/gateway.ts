import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './ports.ts';
import { type Started, start } from './started.ts';

/** The gateway as it is shipped: the built command, told everything by its settings. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));
const command = join('dist', 'adapters', 'cli', 'artist-gateway.js');

/** Loaded before the gateway: collects garbage when asked, so that memory is compared and not the moment. */
const collector = fileURLToPath(new URL('./collect-on-signal.js', import.meta.url));

export interface Gateway extends Started {
  readonly port: number;
  readonly url: string;
  /** From the start of the process until it was ready, in milliseconds. */
  readonly startMs: number;
  /** The numbers on the operator's port, by name; reading them begins a new interval of event-loop delay. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  /** Collects garbage. */
  collect(): Promise<void>;
}

export interface GatewayOptions {
  /** The folder of its package. */
  readonly packageFolder: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly core: number;
  /** Where its log goes. */
  readonly logFile: string;
  readonly profiles?: string | undefined;
}

const isReady = (operations: string): Promise<boolean> =>
  fetch(`${operations}/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );

const readMetrics = async (operations: string): Promise<ReadonlyMap<string, number>> => {
  const text = await (await fetch(`${operations}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
};

const profiling = (folder: string | undefined): string[] => {
  if (folder === undefined) return [];
  mkdirSync(folder, { recursive: true });
  return ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];
};

/** Starts a gateway and waits until it is ready. */
export const startGateway = async ({
  packageFolder,
  settings,
  core,
  logFile,
  profiles,
}: GatewayOptions): Promise<Gateway> => {
  const [port, operationsPort] = [await freePort(), await freePort()];
  const operations = `http://127.0.0.1:${operationsPort}`;
  const flags = ['--enable-source-maps', '--expose-gc', '--import', collector, ...profiling(profiles)];
  const env = {
    PORT: String(port),
    OPERATIONS_PORT: String(operationsPort),
    SHUTDOWN_GRACE_SECONDS: '0.2',
    ...settings,
  };
  const log = openSync(logFile, 'a');
  const startedAt = performance.now();
  const started = start(process.execPath, [...flags, join(packageFolder, command), 'serve'], {
    core,
    env,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  while (!(await isReady(operations))) {
    if (started.child.exitCode !== null)
      throw new Error(`the gateway ended before it was ready: ${readFileSync(logFile, 'utf8').slice(-1_000)}`);
    await wait(25);
  }
  return {
    ...started,
    port,
    url: `http://127.0.0.1:${port}`,
    startMs: performance.now() - startedAt,
    metrics: () => readMetrics(operations),
    async collect() {
      started.child.kill('SIGUSR2');
      await wait(500);
    },
  };
};
