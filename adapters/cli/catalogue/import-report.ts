import type { DocumentError } from '../../stores/documents/document-file.ts';
import { type ImportCounts, noCounts } from '../../stores/import/plan-documents.ts';
import type { ImportPlan } from '../../stores/import/plan-import.ts';
import { type Column, printJson, printListing } from '../terminal/table.ts';

/** Refused documents listed on a terminal; `--json` lists all. */
const maxListed = 50;

const refusalColumns: readonly Column<DocumentError>[] = [
  { title: 'file', show: ({ file }) => file },
  { title: 'line', show: ({ line }) => line },
  { title: 'member', show: ({ path }) => path },
  { title: 'why', show: ({ message }) => message },
];

interface CountRow extends ImportCounts {
  readonly collection: string;
}

const countColumns: readonly Column<CountRow>[] = [
  { title: 'collection', show: ({ collection }) => collection },
  { title: 'created', show: ({ created }) => created },
  { title: 'changed', show: ({ changed }) => changed },
  { title: 'touched', show: ({ touched }) => touched },
  { title: 'unchanged', show: ({ unchanged }) => unchanged },
  { title: 'removed', show: ({ removed }) => removed },
];

/** Prints the first refused documents, ordered by file and line. */
export const printRefused = (refused: readonly DocumentError[]): void => {
  const ordered = refused.toSorted((left, right) => left.file.localeCompare(right.file) || left.line - right.line);
  printListing(ordered.slice(0, maxListed), refusalColumns);
};

/** A refused document as `--json` prints it. */
export const refusedJson = ({ file, line, path, message }: DocumentError) => ({
  file,
  line,
  member: path,
  reason: message,
});

/** Formats one line about refused documents and what to do. */
export const formatRefusal = (refused: readonly DocumentError[]): string => {
  const hidden = refused.length - maxListed;
  const more = hidden > 0 ? ` (${hidden} more are listed by --json)` : '';
  const them = refused.length === 1 ? 'it' : 'them';
  return `${refused.length} refused${more}: nothing was written. Correct ${them} and run it again.`;
};

/** Prints the counts of an import, or of a dry run. */
export const printCounts = (counts: ImportPlan['counts'], json: boolean): void => {
  if (json) printJson({ ...counts, refused: [] });
  else {
    printListing(
      Object.entries(counts).map(([collection, count]) => ({ collection, ...count })),
      countColumns,
    );
  }
};

/** Prints the documents for which an import wrote nothing. */
export const printRefusedImport = (refused: readonly DocumentError[], json: boolean): void => {
  if (json) printJson({ artists: noCounts, series: noCounts, labels: noCounts, refused: refused.map(refusedJson) });
  else printRefused(refused);
};

const formatCount = (count: number, one: string, several: string): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];

/** Formats the removals of an import: `1 artist, 2 series`; `undefined` when there are none. */
export const formatRemovals = ({ artists, series, labels }: ImportPlan['counts']): string | undefined => {
  const parts = [
    ...formatCount(artists.removed, 'artist', 'artists'),
    ...formatCount(series.removed, 'series', 'series'),
    ...formatCount(labels.removed, 'label', 'labels'),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
};
