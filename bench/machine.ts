import { spawnSync } from 'node:child_process';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { isPinned, loadCore, serverCore } from './process/pinning.ts';

const redisVersion = (): string =>
  /v=(\S+)/.exec(spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout)?.[1] ?? 'unknown';

/** What tells machines apart: figures of one replace its former ones. */
export const nameMachine = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}, Redis ${redisVersion()}`;

/** What else the figures depend on; asked before the first row, so that the load is that of others. */
export const describeMachine = (): string[] => {
  const load = loadavg().map((average) => average.toFixed(2));
  return [
    `${platform()} ${release()}, ${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    isPinned
      ? `servers on core ${serverCore}; load generator and Redis on core ${loadCore}`
      : 'processes are not kept on cores of their own (no taskset, or a single core): figures are less steady',
    `load average at the start, over 1, 5 and 15 minutes: ${load.join(', ')}; a quiet machine has less than 0.3`,
  ];
};
