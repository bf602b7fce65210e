import { waitedMs } from '../process/usage.ts';

/**
 * Watches how long processes wait for a core. Returns a function for how long each of them waited,
 * by their mean and in milliseconds, since an instant of `performance.now()`. On a machine with
 * other work a gateway is late by as much, which no check may blame on it.
 */
export const watchStarvation = (
  pids: readonly number[],
  end: AbortSignal,
): ((since: number) => number) => {
  const sample = () => ({
    at: performance.now(),
    waited: pids.reduce((sum, pid) => sum + waitedMs(pid), 0) / pids.length,
  });
  const samples = [sample()];
  const timer = setInterval(() => samples.push(sample()), 1_000);
  end.addEventListener('abort', () => clearInterval(timer));
  return (since) => {
    const before = samples.findLast(({ at }) => at <= since) ?? samples[0];
    return sample().waited - (before?.waited ?? 0);
  };
};
