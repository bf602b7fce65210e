import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { makeOwnFolder, PathError } from './own-file.ts';

/** Maximum bytes of a socket path on all systems. Node truncates a longer path. */
const maxSocketPath = 103;

/** True if a process listens on the socket. A killed process leaves its file. */
const isLocked = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => resolve(true)).on('error', () => resolve(false));
    socket.on('close', () => socket.destroy()).end();
  });

/**
 * Locks a folder until the returned function is called, or the process ends in any way: it listens
 * on a socket in the folder. Raises `PathError` if another process has the lock, else rejects as
 * the file system does.
 */
export const lockFolder = async (folder: string): Promise<() => void> => {
  await makeOwnFolder(folder);
  const path = join(folder, 'lock');
  if (Buffer.byteLength(path) > maxSocketPath)
    throw new PathError(`${folder}: the path is too long. Use at most ${maxSocketPath - 5} bytes.`);
  const server = createServer((socket) => socket.destroy()).unref();
  const listen = async (): Promise<void> => {
    server.listen(path);
    await once(server, 'listening');
  };
  await listen().catch(async (failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'EADDRINUSE') throw failure;
    if (await isLocked(path))
      throw new PathError(`${folder}: another gateway uses it. Give each gateway its own folder.`);
    await rm(path, { force: true });
    await listen();
  });
  return () => void server.close();
};
