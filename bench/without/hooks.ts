import { readFile } from 'node:fs/promises';
import type { LoadHook } from 'node:module';
import { leaveOut } from './caches.ts';

/** Has each module loaded without the caches that `BENCH_WITHOUT` names. */
export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return next(url, context);
  const text = await readFile(new URL(url), 'utf8');
  const changed = leaveOut(url, text, process.env['BENCH_WITHOUT'] ?? '');
  if (changed === text) return next(url, context);
  const source = `${changed}\nimport { keepsNothing } from '${new URL('./keeps-nothing.js', import.meta.url)}';\n`;
  return { format: 'module', shortCircuit: true, source };
};
