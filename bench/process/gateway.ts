import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/ports.ts';
import { ask, bearer } from '../answers.ts';
import { start } from './started.ts';
import { memoryMiB } from './usage.ts';

/** Environment variables of a gateway. */
export type Settings = Readonly<Record<string, string>>;

/** The folder of this checkout, whose built gateway is measured. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Loaded before the gateway's own code: collects garbage on a signal, and does nothing else. */
const collector = 'data:text/javascript,process.on("SIGUSR2",()=>gc())';

/** The path of a package's command, which differs between versions. */
const programOf = (folder: string): string => {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return bin['artist-gateway'];
};

interface GatewayOptions {
  readonly settings: Settings;
  /** For the first page. */
  readonly key: string;
  /** Where its log goes. */
  readonly logFile: string;
  /** The folder of its package, by default of this checkout. */
  readonly folder?: string | undefined;
}

/** Milliseconds between requests for the first page. `/ready` would call Redis. */
const gapMs = 50;

/** False until the gateway returns the page. */
const hasFirstPage = (url: string, key: string): Promise<boolean> =>
  ask(url, '/api/v1/artists?limit=50', bearer(key)).then(
    () => true,
    () => false,
  );

/** Starts a built gateway, and waits for its first page and its reference. */
export const startGateway = async (options: GatewayOptions) => {
  const { settings, key, logFile, folder = root } = options;
  const [port, operationsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const flags = [
    '--initial-old-space-size=160',
    '--enable-source-maps',
    '--expose-gc',
    `--import=${collector}`,
  ];
  const ports = { PORT: String(port), OPERATIONS_PORT: String(operationsPort) };
  const env = { ...ports, SHUTDOWN_GRACE_SECONDS: '0.2', ...settings };
  const command = [join(folder, programOf(folder)), 'serve'];
  const log = openSync(logFile, 'a');
  const started = start(process.execPath, [...flags, ...command], {
    env,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  while (!(await hasFirstPage(url, key))) {
    if (started.child.exitCode !== null)
      throw new Error(
        `the gateway ended before its first page: ${readFileSync(logFile, 'utf8').slice(-1_000)}`,
      );
    await wait(gapMs);
  }
  // the pages of the reference are made now: whatever follows is measured without
  await ask(url, '/docs', {});
  /** The numbers on the operations port, by name. */
  const metrics = async (): Promise<ReadonlyMap<string, number>> => {
    const text = await (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  };
  return {
    ...started,
    port,
    url,
    metrics,
    /**
     * Collects garbage. Returns the memory of objects with their buffers, and of the process (RSS),
     * in MiB.
     */
    async collected() {
      started.child.kill('SIGUSR2');
      await wait(500);
      const numbers = await metrics();
      const mebibytes = (name: string): number => (numbers.get(name) ?? Number.NaN) / 2 ** 20;
      const used =
        mebibytes('nodejs_heap_size_used_bytes') + mebibytes('nodejs_external_memory_bytes');
      return { used, rss: memoryMiB(started.pid) };
    },
  };
};

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
