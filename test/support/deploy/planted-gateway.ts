import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';
import { projectFolder } from './working-copy.ts';

/** A bug in a file of the built program: a text that is there once, and what takes its place. */
interface BuiltBug {
  /** Below `dist`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Starts a copy of the built gateway with a bug. The project and its build stay as they are. */
export const startPlantedGateway = async (
  cleanup: Cleanup,
  { file, from, to }: BuiltBug,
  settings: Record<string, string>,
): Promise<GatewayProcess> => {
  const folder = await cleanup.makeFolder('planted');
  const others = (await readdir(projectFolder)).filter((name) => name !== 'dist');
  await Promise.all(others.map((name) => symlink(join(projectFolder, name), join(folder, name))));
  await cp(join(projectFolder, 'dist'), join(folder, 'dist'), { recursive: true });
  const path = join(folder, 'dist', file);
  const text = await readFile(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`dist/${file} does not have once: ${from}`);
  await writeFile(
    path,
    text.replace(from, () => to),
  );
  const program = join(folder, 'dist/adapters/cli/artist-gateway.js');
  return cleanup.start(startGatewayProcess(settings, { command: [process.execPath, program, 'serve'] }));
};
