import { existsSync, readdirSync, readFileSync } from 'node:fs';

const isLinux = existsSync('/proc/self/task');

const threadMs = (pid: number, thread: string): number => {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
};

/** Milliseconds of processor time of a process; `NaN` if the system does not report it. */
export const cpuMs = (pid: number): number => {
  if (!isLinux) return Number.NaN;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadMs(pid, thread), 0);
};

/** Memory of a process (RSS) in MiB; `NaN` if the system does not report it. */
export const memoryMiB = (pid: number): number => {
  const status = isLinux ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
};
