import { isUtf8 } from 'node:buffer';
import { appendFileSync, readFileSync } from 'node:fs';
import { FileError, printable, reasonOf } from '../shared/http.ts';

/** What no response of the current form has. */
export interface Given {
  /** Identifiers in the variant form by those in the current form. */
  readonly documentIds: ReadonlyMap<string, string>;
  readonly labels: readonly string[];
}

const readText = (file: string): string => {
  const content = readFileSync(file);
  if (isUtf8(content)) return content.toString().replace(/^\uFEFF/, '');
  throw new FileError(`${file} must be UTF-8: save it in that encoding.`);
};

const linesOf = (text: string): readonly string[] =>
  text.split(/\r?\n/).filter((line) => line !== '');

/** The cells of a line of CSV. */
const cellsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))(?=,|$)/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  );

/** Repeated texts, each with its count. */
const repeatedIn = (texts: readonly string[]) => {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return [...times].filter(([, count]) => count > 1);
};

/** Reads `ids.csv` and `labels.txt`. Throws a FileError if they have another format. */
export const readGiven = (ids: string, labels: string): Given => {
  const [titles = [], ...rows] = linesOf(readText(ids)).map(cellsOf);
  const columns = ['current', 'variant'].map((title) => titles.indexOf(title));
  const pairs = rows.map((row) => columns.map((column) => row[column] ?? ''));
  if (columns.includes(-1) || pairs.flat().includes(''))
    throw new FileError(`${ids} is no CSV with the columns current and variant, an artist a line.`);
  const [[text, times] = []] = [0, 1].flatMap((column) =>
    repeatedIn(pairs.map((pair) => pair[column] ?? '')),
  );
  if (text !== undefined)
    throw new FileError(
      `${ids} has ${printable(text)} for ${times} artists. Use the file as we sent it: spreadsheets change long numbers.`,
    );
  const documentIds = new Map(pairs.map(([current = '', variant = '']) => [current, variant]));
  return { documentIds, labels: linesOf(readText(labels)) };
};

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
