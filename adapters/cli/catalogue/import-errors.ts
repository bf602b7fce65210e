import type { ImportError } from '../../stores/import/input-files.ts';
import { type Column, printListing } from '../terminal/table.ts';

/** More would only hide the first ones; `--json` has them all. */
const shown = 50;

const columns: readonly Column<ImportError>[] = [
  { title: 'file', show: ({ file }) => file },
  { title: 'line', show: ({ line }) => line },
  { title: 'member', show: ({ member }) => member },
  { title: 'why', show: ({ reason }) => reason },
];

/** In the order of the files. */
const inOrder = (refused: readonly ImportError[]): readonly ImportError[] =>
  refused.toSorted((left, right) => left.file.localeCompare(right.file) || left.line - right.line);

/** Shows where the input is wrong; as JSON nothing is said here. */
export const printRefusals = (refused: readonly ImportError[]): void =>
  printListing(inOrder(refused).slice(0, shown), columns);

/** What to do about refused documents, in one line. */
export const refusalText = (refused: readonly ImportError[]): string => {
  const hidden = refused.length - shown;
  const more = hidden > 0 ? ` (${hidden} more are listed by --json)` : '';
  return `${refused.length} refused${more}: nothing was written. Correct ${refused.length === 1 ? 'it' : 'them'} and run it again.`;
};
