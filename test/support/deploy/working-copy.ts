import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from './run-program.ts';

/** The root of the project. */
export const projectFolder = fileURLToPath(new URL('../../..', import.meta.url));

/** Reads a file of the project as text. */
export const readProjectFile = (path: string): string =>
  readFileSync(join(projectFolder, path), 'utf8');

/**
 * Copies what git tracks, and what is new and not ignored, to a folder, which it returns: a clone
 * with the changes of today.
 */
export const copyProject = async (folder: string): Promise<string> => {
  const listed = await runProgram(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    projectFolder,
  );
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await cp(join(projectFolder, path), join(folder, path)).catch(
      (failure: NodeJS.ErrnoException) => {
        if (failure.code !== 'ENOENT') throw failure; // deleted, but still in git's index
      },
    );
  }
  return folder;
};

/** Makes a folder a git repository with everything in it committed on `main`. */
export const commitAll = async (folder: string): Promise<void> => {
  const git = (...args: readonly string[]) => runProgram('git', args, folder);
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('config', 'user.name', 'Test');
  await git('config', 'user.email', 'test@example.com');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Everything');
};

/** Bytes of the files in a folder. */
export const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map((file) => stat(join(file.parentPath, file.name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
};
