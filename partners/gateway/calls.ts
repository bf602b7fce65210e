import { appendFileSync, readFileSync } from 'node:fs';
import { FileError, printable, reasonOf } from '../shared/http.ts';
import { linesOf, readText } from './given.ts';

/** Appends each target once to a file, even over several runs. Reports a failure. */
export const openRecord = (file: string, tell: (text: string) => void) => {
  appendFileSync(file, '');
  const text = readText(file);
  const seen = new Set(linesOf(text));
  let start = text === '' || text.endsWith('\n') ? '' : '\n';
  return (target: string): void => {
    if (seen.has(target) || /aik_\w/.test(target)) return; // a key is not stored
    try {
      appendFileSync(file, `${start}${target}\n`);
      seen.add(target);
      start = '';
    } catch (failure) {
      start = '\n';
      // an error of the system
      tell(`${file} cannot be written: ${reasonOf(failure as Error)}. Calls are not recorded.`);
    }
  };
};

/** A call of the variant form, and the new call: `-` for none, empty without a second column. */
export interface Call {
  readonly target: string;
  readonly instead: string;
}

/** A day in a call of the second column: {today} or {today-14}. */
export const dayPattern = /\{today(?:-(\d{1,5}))?\}/g;

/** The calls in a file, each once: one per line, after an optional GET and address. */
export const readCalls = (file: string): readonly Call[] => {
  const path = String.raw`(?:GET +)?(?:https?:\/\/[^/?\s]*)?(\/[\x21-\x7e]*)`;
  const pattern = new RegExp(String.raw`^${path}(?:\s+(?:${path}|(-)))?$`);
  const calls = new Map<string, Call>();
  for (const [index, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    const line = text.trim().replace(/aik_\w+/g, 'aik_…'); // a key is not printed
    const [, target, path = '', none = ''] = pattern.exec(line) ?? [];
    const instead = path + none;
    if (target !== undefined && !/[{}]/.test(instead.replace(dayPattern, '')))
      calls.set(`${target} ${instead}`, { target, instead });
    else if (line !== '') {
      const about = 'a path with its query, perhaps with the new call or - behind it';
      const told = printable(line).slice(0, 80);
      throw new FileError(`${file}, line ${index + 1}: ${told} is not ${about}.`);
    }
  }
  if (calls.size === 0) throw new FileError(`${file} has no line.`);
  return [...calls.values()];
};
