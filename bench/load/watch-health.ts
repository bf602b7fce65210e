import { startModule } from '../process/module.ts';
import { loadCore } from '../process/pinning.ts';
import type { Waits } from './probe.ts';

/** Asks a gateway for its health, in a process of its own, while something else goes on. */
export const watchHealth = async <Result>(port: number, meanwhile: () => Promise<Result>) => {
  const probe = startModule('load/probe.js', [String(port)], { core: loadCore });
  await probe.next(); // it asks from now on
  const result = await meanwhile();
  probe.send('end');
  return { waits: await probe.next<Waits>(), result };
};

export const formatWaits = ({ count, p50, p99, longest }: Waits): string =>
  `/health for another client: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${longest.toFixed(1)} ms of ${count}`;
