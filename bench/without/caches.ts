import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { root } from '../built.ts';

/** The declaration of a cache, in TypeScript as in JavaScript. */
const declaration = /\b(\w+) = (weakMemo|scopedLru|byteLru)\b/g;

const moduleOf = (path: string): string => basename(path, extname(path));

/** Names of the caches that a module declares: `const answers = scopedLru(…)` in `request-cache.ts` is `request-cache/answers`. */
export const cachesIn = (path: string, text: string): string[] =>
  [...text.matchAll(declaration)].map(([, variable]) => `${moduleOf(path)}/${variable}`);

/** Names of all caches of the built gateway. */
export const listCaches = (): string[] => {
  const dist = join(root, 'dist');
  const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.js'));
  return modules.sort().flatMap((path) => cachesIn(path, readFileSync(join(dist, path), 'utf8')));
};

/** The text of a module whose caches never keep anything: all of them when `without` names the module, or the one that it names. */
export const leaveOut = (path: string, text: string, without: string): string =>
  text.replaceAll(declaration, (declared, variable, memo) =>
    [moduleOf(path), `${moduleOf(path)}/${variable}`].includes(without)
      ? `${variable} = keepsNothing.${memo}`
      : declared,
  );
