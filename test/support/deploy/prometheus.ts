import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { endProcess, killWithTests } from '../child-process.ts';
import { freePort } from '../ports.ts';
import { until } from '../wait.ts';
import { projectFolder } from './working-copy.ts';

const prometheusFolder = join(projectFolder, 'deploy', 'prometheus');

const queryResult = z.object({
  status: z.literal('success'),
  data: z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }),
});

/** Prometheus is ready when it answers so; a process that ended never does. */
const isReady = async (port: number, child: ChildProcess): Promise<boolean> => {
  if (child.exitCode !== null) throw new Error('prometheus ended before it was ready');
  const reply = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined);
  return reply?.status === 200;
};

/**
 * Starts a real Prometheus on a free loopback port for these targets (`host:port`), with the
 * configuration of `deploy/prometheus`. It scrapes every second and evaluates the project's own
 * alerts.
 */
export const startPrometheus = async (targets: readonly string[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-prometheus-'));
  const port = await freePort();
  const configured = await readFile(join(prometheusFolder, 'prometheus.yml'), 'utf8');
  const config = configured
    .replaceAll(/(interval:) 15s/g, '$1 1s')
    .replace(/targets: .*/, `targets: [${targets.join(', ')}]`);
  await writeFile(join(folder, 'prometheus.yml'), config);
  await cp(join(prometheusFolder, 'alerts.yml'), join(folder, 'alerts.yml'));
  const child = spawn(
    'prometheus',
    [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  await once(child, 'spawn');
  killWithTests(child);
  await until('prometheus is ready', () => isReady(port, child));

  /** The labels of the samples of an instant query. */
  const query = async (expression: string): Promise<Readonly<Record<string, string>>[]> => {
    const reply = await fetch(
      `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`,
    );
    const body: unknown = await reply.json();
    const parsed = queryResult.safeParse(body);
    if (!parsed.success) throw new Error(`${expression}: ${JSON.stringify(body)}`);
    return parsed.data.data.result.map(({ metric }) => metric);
  };

  return {
    query,
    async stop() {
      await endProcess(child);
      await rm(folder, { recursive: true });
    },
  };
};

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;
