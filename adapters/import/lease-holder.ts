import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where a process runs, and its id there. */
export interface ProcessPlace {
  /** Two processes with the same one see each other's ids; `undefined` when this system does not tell. */
  readonly machine: string | undefined;
  readonly pid: number;
}

/**
 * The name of this machine, and on Linux its start and its namespace of process ids: containers may have one name, and a
 * restart gives every id to somebody else.
 */
const thisMachine = (): string | undefined => {
  if (process.platform !== 'linux') return hostname();
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${start} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined; // a container without /proc
  }
};

export const thisProcess = (): ProcessPlace => ({ machine: thisMachine(), pid: process.pid });

/** Whether a process is known to have ended; one on another machine is not. */
export const hasEnded = ({ machine, pid }: { readonly machine?: unknown; readonly pid?: unknown }): boolean => {
  if (machine === undefined || machine !== thisMachine() || typeof pid !== 'number') return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'; // EPERM: another user's, and alive
  }
};
