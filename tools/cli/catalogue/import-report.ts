import { fileNames } from '../../../adapters/stores/documents/collection-files.ts';
import { cell } from '../../../adapters/text/plain-text.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import type { FoundMistakes, InputMistake, InputRemark } from '../../import/mistakes.ts';
import type { ImportCounts, ImportPlan } from '../../import/plan-import.ts';
import { note } from '../terminal/messages.ts';
import { type Column, printJson, printListing } from '../terminal/table.ts';

/** Says that a file in a folder is not read though its name begins like that of a collection. */
export const noteUnread = (path: string): void =>
  note(`${path}: not read: a name that begins so ${fileNames}, in lower case.`);

/** Mistakes and remarks listed on a terminal; `--json` lists up to 10,000 mistakes. */
const maxListed = 50;

const mistakeColumns: readonly Column<InputMistake>[] = [
  { title: 'file', show: ({ file }) => file, isWrapped: true },
  { title: 'line', show: ({ line }) => line },
  { title: 'id', show: ({ id }) => id, importance: 2 },
  { title: 'name', show: ({ name }) => name, importance: 1 },
  { title: 'member', show: ({ path }) => path },
  { title: 'why', show: ({ message }) => message, isWrapped: true },
];

interface CountRow extends ImportCounts {
  readonly collection: string;
}

const countColumns = (
  ['collection', 'created', 'changed', 'touched', 'unchanged', 'removed'] as const
).map((title): Column<CountRow> => ({ title, show: (row) => row[title] }));

/** Prints the first mistakes, ordered by file and line. */
export const printMistakes = ({ mistakes }: Pick<FoundMistakes, 'mistakes'>): void => {
  const ordered = mistakes.toSorted(
    (left, right) => left.file.localeCompare(right.file) || left.line - right.line,
  );
  const onLeftOut = (count: number): void => {
    if (count > 0) note(`Too narrow for ${countOf(count, 'column')}: --json shows all.`);
  };
  printListing(ordered.slice(0, maxListed), mistakeColumns, { onLeftOut });
};

const mistakeJson = ({ file, line, id, name, path, message }: InputMistake) => ({
  file,
  line,
  ...(id && { id }),
  ...(name && { name }),
  member: path,
  reason: message,
});

const remarkJson = (remark: InputRemark) => ({
  ...mistakeJson(remark),
  documents: remark.documents,
});

/** Mistakes and remarks as `--json` prints them. */
export const foundJson = ({ mistakes, remarks }: FoundMistakes) => ({
  refused: mistakes.map(mistakeJson),
  remarks: remarks.map(remarkJson),
});

const formatRemark = ({ file, line, id, name, path, message, documents }: InputRemark): string => {
  const others = documents > 1 ? ` (and ${documents - 1} more)` : '';
  return cell(
    `Remark: ${file} line ${line}${others}: ${[id, name].filter(Boolean).join(', ')}: ${path} ${message}`,
  );
};

/** Prints the first remarks of a list. */
export const noteRemarks = <Remark>(
  remarks: readonly Remark[],
  format: (remark: Remark) => string,
): void => {
  for (const remark of remarks.slice(0, maxListed)) note(format(remark));
  if (remarks.length > maxListed)
    note(`${remarks.length - maxListed} more remarks are listed by --json.`);
};

/** Prints remarks, each with the first document that it is about. */
export const printRemarks = ({ remarks }: FoundMistakes): void =>
  noteRemarks(remarks, formatRemark);

/** Formats `3 mistakes in 2 documents`. */
export const countMistakes = ({ total, documents, isCut }: FoundMistakes): string => {
  const counted = `${countOf(total, 'mistake')} in ${countOf(documents, 'document')}`;
  return isCut ? `${counted}, and the rest was not read` : counted;
};

/** Formats one line about mistakes and what to do. */
export const formatRefusal = (found: FoundMistakes): string => {
  const hidden = found.mistakes.length - maxListed;
  const more = hidden > 0 ? ` (${hidden} more are listed by --json)` : '';
  const them = found.total === 1 ? 'it' : 'them';
  return `${countMistakes(found)}${more}: nothing was written. Correct ${them} and run it again.`;
};

const noCounts: ImportCounts = { created: 0, changed: 0, touched: 0, unchanged: 0, removed: 0 };
const nothing: ImportPlan['counts'] = { artists: noCounts, series: noCounts, labels: noCounts };

/**
 * Prints the counts of an import, or of a dry run; without a plan the mistakes for which nothing
 * was written.
 */
export const printCounts = (
  found: FoundMistakes,
  json: boolean,
  counts?: ImportPlan['counts'],
): void => {
  if (json) printJson({ ...(counts ?? nothing), ...foundJson(found) });
  else if (counts === undefined) printMistakes(found);
  else {
    const rows = Object.entries(counts).map(([collection, count]) => ({ collection, ...count }));
    printListing(rows, countColumns);
  }
};

/** Formats the removals of an import: `1 artist, 2 series`; `undefined` when there are none. */
export const formatRemovals = ({
  artists,
  series,
  labels,
}: ImportPlan['counts']): string | undefined => {
  const parts = [
    artists.removed > 0 && countOf(artists.removed, 'artist'),
    series.removed > 0 && `${series.removed} series`,
    labels.removed > 0 && countOf(labels.removed, 'label'),
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : parts.join(', ');
};
