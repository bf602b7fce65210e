import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { FileError, printable } from '../shared/http.ts';

/** What no response of the current form has. */
export interface Given {
  /** Identifiers in the variant form by those in the current form. */
  readonly documentIds: ReadonlyMap<string, string>;
  readonly labels: readonly string[];
}

/** The content of a file. Throws a FileError if it is not UTF-8. */
export const readText = (file: string): string => {
  const content = readFileSync(file);
  if (isUtf8(content)) return content.toString().replace(/^\uFEFF/, '');
  throw new FileError(`${file} must be UTF-8: save it in that encoding.`);
};

export const linesOf = (text: string): readonly string[] =>
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
