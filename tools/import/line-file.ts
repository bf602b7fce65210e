import { rm } from 'node:fs/promises';
import { beginOwnFile } from '../../adapters/files/own-file.ts';

/** Characters that wait for the next write. */
const maxPending = 64 * 1024;

/**
 * Begins a file for a document a line. Rejects with `PathError`, or when the folder cannot be
 * written.
 */
export const openLineFile = async (path: string) => {
  const naming = (failure: Error): never => {
    throw new Error(`${path}: could not be written: ${failure.message}`, { cause: failure });
  };
  const file = await beginOwnFile(path);
  let pending = '';
  const flush = async (): Promise<void> => {
    const text = pending;
    pending = '';
    await file.handle.writeFile(text).catch(naming);
  };
  return {
    async write(line: string): Promise<void> {
      pending += `${line}\n`;
      if (pending.length >= maxPending) await flush();
    },
    /** Gives the file its name, which it has only when it is complete. */
    async end(): Promise<void> {
      await flush();
      await file.keep().catch(naming);
    },
    /** Removes the file, also one that is complete. */
    async discard(): Promise<void> {
      await file.discard();
      await rm(path, { force: true });
    },
  };
};

export type LineFile = Awaited<ReturnType<typeof openLineFile>>;
