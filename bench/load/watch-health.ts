import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { loadCore } from '../process/pinning.ts';
import { start } from '../process/started.ts';

/** What another client saw meanwhile, in milliseconds. */
export interface Waits {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** Asks a gateway for its health, in a process of its own, while something else goes on. */
export const watchHealth = async (port: number, meanwhile: () => Promise<unknown>): Promise<Waits> => {
  const file = fileURLToPath(new URL('./probe.js', import.meta.url));
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const { child } = start(process.execPath, [file, String(port)], { core: loadCore, stdio: [...stdio] });
  await once(child, 'message');
  await meanwhile();
  child.send('end');
  const [waits]: Waits[] = await once(child, 'message');
  if (waits === undefined) throw new Error('the probe said nothing');
  return waits;
};

export const formatWaits = ({ count, p50, p99, longest }: Waits): string =>
  `/health for another client: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${longest.toFixed(1)} ms of ${count}`;
