import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The names of files that were not renamed yet, each with the process that writes it. */
const temporaryName = /^(.+)\.(\d+)-[0-9a-f-]{36}\.tmp$/;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // somebody else's
  }
};

/** Removes what processes that were killed while they wrote this file have left. */
const removeLeftovers = async (folder: string, name: string): Promise<void> => {
  for (const entry of await readdir(folder)) {
    const [, of, pid] = temporaryName.exec(entry) ?? [];
    if (of !== name || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    await rm(join(folder, entry), { force: true });
  }
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const writeAndSync = async (handle: FileHandle, chunks: Iterable<Buffer>): Promise<void> => {
  try {
    for (const chunk of chunks) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/**
 * Replaces a file, and makes its folder if there is none. Whenever the process is killed or the power fails, the path has
 * either the former file or the whole new one: the chunks go to a temporary file, which is renamed once they are on the disk.
 * Only the user of the process may read it. Each chunk is made when the one before is written. Rejects when the file system
 * does; then the former file is still there.
 */
export const replaceFile = async (path: string, chunks: Iterable<Buffer>): Promise<void> => {
  const [folder, name] = [dirname(path), basename(path)];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeLeftovers(folder, name);
  const temporary = join(folder, `${name}.${process.pid}-${randomUUID()}.tmp`);
  try {
    await writeAndSync(await open(temporary, 'wx', 0o600), chunks);
    await rename(temporary, path);
  } catch (failure) {
    await rm(temporary, { force: true }).catch(() => {}); // the failure before is the one to tell
    throw failure;
  }
  await syncFolder(folder);
};
