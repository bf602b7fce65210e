import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../process/gateway.ts';
import { type Ablation, ablations, type Replacement } from './ablations.ts';

const replaceIn = (folder: string, { file, from, to, times = 1 }: Replacement): void => {
  const path = join(folder, 'dist', file);
  const parts = readFileSync(path, 'utf8').split(from);
  if (parts.length - 1 !== times) throw new Error(`${file} has ${JSON.stringify(from)} ${parts.length - 1} times`);
  writeFileSync(path, parts.join(to));
};

/** The ablation of a name. Throws when there is none. */
export const findAblation = (name: string): Ablation => {
  const ablation = ablations[name];
  if (ablation === undefined)
    throw new Error(`${name} cannot be switched off: there are ${Object.keys(ablations).join(', ')}`);
  return ablation;
};

/** Copies the built gateway into a new folder within `parent`, one cache switched off in the copy. Gives the folder. */
export const writeAblatedPackage = (parent: string, { replacements }: Ablation): string => {
  const folder = mkdtempSync(join(parent, 'without-'));
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  const others = readdirSync(root).filter((name) => name !== 'dist' && !name.startsWith('.'));
  for (const name of others) symlinkSync(join(root, name), join(folder, name));
  for (const replacement of replacements) replaceIn(folder, replacement);
  return folder;
};
