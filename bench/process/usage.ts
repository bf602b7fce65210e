import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const isLinux = existsSync('/proc/self/task');

const threadMs = (pid: number, thread: string): number => {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
};

/**
 * Processor time a process has used, all its threads together, in milliseconds; `NaN` where the
 * system does not report it.
 */
export const cpuMs = (pid: number): number => {
  if (!isLinux) return Number.NaN;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadMs(pid, thread), 0);
};

/**
 * How long the main thread of a process was ready to run and had no core, in milliseconds; 0 where
 * the system does not report it.
 */
export const waitedMs = (pid: number): number => {
  if (!isLinux) return 0;
  const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
};

const statusMiB = (pid: number, member: string): number => {
  const status = isLinux ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Number(new RegExp(`^${member}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
};

/** Memory that a process holds (RSS) in MiB; `NaN` where the system does not report it. */
export const memoryMiB = (pid: number): number => statusMiB(pid, 'VmRSS');

/** Watches the most memory that a process holds from now on, in MiB; Linux remembers it. */
export const watchPeak = (pid: number): (() => number) => {
  // the mark is set back to what is held now
  if (isLinux) writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return () => statusMiB(pid, 'VmHWM');
};
