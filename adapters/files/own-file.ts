import { randomUUID } from 'node:crypto';
import {
  appendFile,
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

// All files are written here (docs/security.md, API8): other users of the machine may have put
// links, or files that they keep open, at any path that they can guess.

/**
 * Why a path cannot be read or written. The message names the path and the fix; commands exit with
 * 2.
 */
export class PathError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PathError';
  }
}

/** Settles as the work at a path does, with a file system failure as `PathError`. */
export const orUnwritable = async <Result>(
  path: string,
  work: Promise<Result>,
): Promise<Result> => {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
    throw new PathError(`${path || "''"} cannot be written (${cause.code}).`, { cause });
  }
};

const hasCode = (failure: unknown, code: string): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === code;

/** The names of incomplete files, each with the id of the process that writes it. */
const temporaryName = /^(.+)\.(\d+)-[0-9a-f-]{36}\.tmp$/;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM'); // another user's process
  }
};

/** Removes incomplete files of killed processes. */
export const removeLeftovers = async (
  folder: string,
  isMeant: (name: string) => boolean,
): Promise<void> => {
  for (const entry of await readdir(folder)) {
    const [, of = '', pid] = temporaryName.exec(entry) ?? [];
    if (!isMeant(of) || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
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

/** Resolves to `undefined` if the path does not exist. */
export const orUndefined = <Found>(found: Promise<Found>): Promise<Found | undefined> =>
  found.catch((failure: unknown) => {
    if (hasCode(failure, 'ENOENT')) return undefined;
    throw failure;
  });

const everybodyWrites = 0o002;
const onlyOwnerRemoves = 0o1000; // as in /tmp
const othersWrite = 0o022;

/**
 * Raises `PathError` unless `owner` (by default the process user) or root owns the folder, and no
 * other user may write to it. A missing folder is safe: it is made with mode 0700.
 */
export const requireOwnFolder = async (
  folder: string,
  owner = process.getuid?.(),
): Promise<void> => {
  const found = await orUndefined(stat(folder));
  if (found === undefined || owner === undefined) return;
  const { uid, mode } = found;
  if (uid !== owner && uid !== 0) {
    throw new PathError(`${folder}: belongs to another user. Name a folder of your own.`);
  }
  if ((mode & othersWrite) !== 0) {
    const instead = 'or name a folder inside it that does not exist yet: it is made with mode 0700';
    throw new PathError(
      `${folder}: other users may write to it. Run "chmod go-w ${folder}", ${instead}.`,
    );
  }
};

/**
 * Makes a folder and its parents, and resolves to the new ones. Not with `recursive`, because Node
 * then reports ENOENT if the file system is full.
 */
const makeFolder = async (folder: string, mayMakeParent = true): Promise<readonly string[]> => {
  try {
    await mkdir(folder, { mode: 0o700 });
    return [folder];
  } catch (failure) {
    if (hasCode(failure, 'EEXIST') && (await stat(folder)).isDirectory()) return [];
    if (!mayMakeParent || !hasCode(failure, 'ENOENT')) throw failure;
    const above = await makeFolder(dirname(resolve(folder)));
    return [...above, ...(await makeFolder(folder, false))];
  }
};

/**
 * Makes a folder with mode 0700. Raises `PathError` if it exists and others may write to it.
 * Resolves to the folders that it made, the outermost first.
 */
export const makeOwnFolder = async (folder: string): Promise<readonly string[]> => {
  const made = await makeFolder(folder);
  await requireOwnFolder(folder);
  return made;
};

/**
 * Raises `PathError` if others could replace the file, or if the path has something other than a
 * file (or a folder).
 */
const requireReplaceable = async (path: string, isFolder = false): Promise<void> => {
  const folder = dirname(resolve(path));
  const { mode } = await stat(folder);
  if ((mode & everybodyWrites) !== 0 && (mode & onlyOwnerRemoves) === 0) {
    throw new PathError(
      `${folder}: every user may write to it. Name a file in a folder of your own.`,
    );
  }
  const found = await orUndefined(lstat(path));
  if (found === undefined || (isFolder ? found.isDirectory() : found.isFile())) return;
  throw new PathError(
    `${path}: is a ${found.isSymbolicLink() ? 'link' : 'special file'}. Remove it, or name a file.`,
  );
};

/** A file that gets its name when it is complete. End it with either `keep` or `discard`. */
interface OwnFile {
  readonly handle: FileHandle;
  /**
   * Writes the file to disk and gives it its name, replacing a previous file. Rejects if the file
   * system does.
   */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Begins a file in an existing folder that only the process user may read. It has a random name
 * until it is complete, so no link is followed and no existing file is overwritten. After a crash,
 * the path has the previous file or the whole new file. Rejects with `PathError`, or as the file
 * system does.
 */
export const beginOwnFile = async (path: string): Promise<OwnFile> => {
  await requireReplaceable(path);
  const [folder, name] = [dirname(path), basename(path)];
  await removeLeftovers(folder, (other) => other === name);
  const temporary = join(folder, `${name}.${process.pid}-${randomUUID()}.tmp`);
  const handle = await open(temporary, 'wx', 0o600);
  const discard = async (): Promise<void> => {
    await handle.close();
    await rm(temporary, { force: true });
  };
  return {
    handle,
    discard,
    async keep() {
      try {
        await handle.sync();
        await handle.close();
        await rename(temporary, path);
      } catch (failure) {
        await discard().catch(() => {}); // report the first failure
        throw failure;
      }
      await syncFolder(folder);
    },
  };
};

/** A folder that gets its name when it is complete. End it with either `keep` or `discard`. */
export interface OwnFolder {
  /** Appends to one of its files. Rejects with the name of the file. */
  append(name: string, text: string): Promise<void>;
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Begins a folder that only the process user may read. Raises `PathError` if it exists and has
 * files, or if others could replace it.
 */
export const beginOwnFolder = async (path: string): Promise<OwnFolder> => {
  const found = await orUndefined(readdir(path));
  if (found !== undefined && found.length > 0)
    throw new PathError(`${path}: has files already. Name a new folder.`);
  await requireReplaceable(path, found !== undefined);
  const unfinished = await mkdtemp(`${resolve(path)}.`);
  return {
    append: (name, text) =>
      appendFile(join(unfinished, name), text, { mode: 0o600, flush: true }).catch(
        (failure: Error) => {
          throw new Error(`${name} could not be written: ${failure.message}`, { cause: failure });
        },
      ),
    keep: () => rename(unfinished, path),
    discard: () => rm(unfinished, { recursive: true, force: true }),
  };
};

/**
 * Writes a file as `beginOwnFile` does. Each chunk is made after the previous chunk is written. If
 * the file system fails, or a chunk cannot be made, rejects and keeps the previous file.
 */
export const writeOwnFile = async (
  path: string,
  chunks: Iterable<Buffer | string>,
): Promise<void> => {
  const file = await beginOwnFile(path);
  try {
    for (const chunk of chunks) await file.handle.writeFile(chunk);
  } catch (failure) {
    await file.discard().catch(() => {}); // report the first failure
    throw failure;
  }
  await file.keep();
};
