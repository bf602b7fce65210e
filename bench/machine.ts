import { spawnSync } from 'node:child_process';
import { cpus, platform, release, totalmem } from 'node:os';
import { isPinned, loadCore, serverCore } from './process/pinning.ts';

const redisVersion = (): string =>
  /v=(\S+)/.exec(spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout)?.[1] ?? 'unknown';

/** What the figures were measured on. */
export const describeMachine = (): string[] => [
  `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
  `${platform()} ${release()}, Node ${process.version}, Redis ${redisVersion()}`,
  isPinned
    ? `Servers on core ${serverCore}; load generator and Redis on core ${loadCore}.`
    : 'Processes are not kept on cores of their own (no taskset, or a single core): figures are less steady.',
];
