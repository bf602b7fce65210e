import { spawnSync } from 'node:child_process';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { isPinned, loadCore, serverCore } from './process/pinning.ts';

const redisVersion = (): string =>
  /v=(\S+)/.exec(spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout)?.[1] ??
  'unknown';

/** Nanoseconds to read 16 MB of memory in random order. Most of a gateway's waiting is this. */
const readNs = (): number => {
  const places = 2 ** 22;
  const next = Int32Array.from(
    { length: places },
    (_, place) => (Math.imul(place, 1_664_525) + 1) & (places - 1),
  );
  const begin = performance.now();
  for (let [read, place] = [0, 0]; read < places; read++) place = next[place] ?? 0;
  return ((performance.now() - begin) * 1e6) / places;
};

/** Figures of a machine replace its previous figures. */
export const nameMachine = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${platform()} ${release()}, Node ${process.version}, Redis ${redisVersion()}`;

/**
 * What else the figures depend on. Measured before the first row, so that it has only the load of
 * others.
 */
export const describeMachine = (): string[] => {
  const load = loadavg().map((average) => average.toFixed(2));
  return [
    `${(totalmem() / 2 ** 30).toFixed(1)} GiB; ${Math.round(readNs())} ns for a read of memory`,
    isPinned
      ? `servers on core ${serverCore}; load generator and Redis on core ${loadCore}`
      : 'processes share cores (no taskset, or a single core): figures are less steady',
    `load average at the start, over 1, 5 and 15 minutes: ${load.join(', ')}; a quiet machine has less than 0.5`,
  ];
};
