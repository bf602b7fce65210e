import Table from 'cli-table3';
import pc from 'picocolors';

/** A terminal, or a file or pipe that a program reads. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A column of a listing. */
export interface Column<Row> {
  readonly title: string;
  readonly show: (row: Row) => string | number | undefined;
}

export interface ListingOptions {
  /** Whether to print the rows as a JSON array. */
  readonly json?: boolean | undefined;
  /** Whether to print comma-separated values (RFC 4180), for a spreadsheet. */
  readonly csv?: boolean | undefined;
}

const frameless = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left'].map(
    (part) => [part, ''],
  ),
);
const chars = { ...frameless, 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' };

/** Characters that could move the cursor or end a cell. Partner and organization names are free text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** A value as a cell of a table or of tab-separated lines. */
export const cell = (value: string | number | undefined): string => String(value ?? '').replaceAll(controls, ' ');

/** A table for a terminal; without a title line when there are no titles. */
export const drawTable = (titles: readonly string[], lines: readonly string[][]): string => {
  const { bold } = pc.createColors(pc.isColorSupported);
  const table = new Table({ chars, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 } });
  if (titles.length > 0) table.push(titles.map(bold));
  table.push(...lines);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
};

/** Prints a value as JSON. */
export const printJson = (value: unknown, to: Output = process.stdout): void => {
  to.write(`${JSON.stringify(value, null, 2)}\n`);
};

const printLines = (titles: readonly string[], lines: readonly string[][], to: Output): void => {
  const all = titles.length > 0 ? [titles, ...lines] : lines;
  const text = to.isTTY ? drawTable(titles, lines) : all.map((line) => line.join('\t')).join('\n');
  to.write(`${text}\n`);
};

/** Puts a value with a comma or quote into quotes. */
const quoted = (value: string): string => (/[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** Cells as a line of comma-separated values. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

/**
 * Prints rows: as a table on a terminal, tab-separated under a line of titles in a pipe, as a JSON array, or as
 * comma-separated values under a line of titles.
 */
export const printListing = <Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { json = false, csv = false }: ListingOptions = {},
  to: Output = process.stdout,
): void => {
  if (json) {
    printJson(rows, to);
    return;
  }
  const titles = columns.map(({ title }) => title);
  const lines = rows.map((row) => columns.map(({ show }) => cell(show(row))));
  if (csv) for (const line of [titles, ...lines]) to.write(csvLine(line));
  else printLines(titles, lines, to);
};

/** A name and its value. */
export type Fact = readonly [name: string, value: string | number | undefined];

/** Prints facts about one thing, one a line, without those that have no value. */
export const printFacts = (facts: readonly Fact[], to: Output = process.stdout): void => {
  const known = facts.filter(([, value]) => value !== undefined);
  printLines(
    [],
    known.map(([name, value]) => [name, cell(value)]),
    to,
  );
};
