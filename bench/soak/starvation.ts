import { waitedMs } from '../process/usage.ts';

/**
 * Watches how long processes waited for a core in the last half minute, together, in milliseconds.
 * On a machine with other work a gateway is late by as much, which no check may blame on it.
 */
export const watchStarvation = (pids: readonly number[], end: AbortSignal): (() => number) => {
  const read = (): number => pids.reduce((sum, pid) => sum + waitedMs(pid), 0);
  const samples = [read()];
  const timer = setInterval(() => {
    samples.push(read());
    if (samples.length > 31) samples.shift();
  }, 1_000);
  end.addEventListener('abort', () => clearInterval(timer));
  return () => (samples.at(-1) ?? 0) - (samples[0] ?? 0);
};
