import pc from 'picocolors';
import { formatDistance } from '../../../src/domain/instants.ts';
import { cell, plainLines } from '../../text/plain-text.ts';
import { cutText, drawTable, fitWidths, gapWidth } from '../../text/table.ts';
import { columnsOf, wrapValue } from './layout.ts';
import { note } from './messages.ts';

/** A terminal, or a file or pipe that a program reads. */
export interface Output {
  readonly isTTY?: boolean;
  /** The width of a terminal. */
  readonly columns?: number;
  write(text: string): unknown;
}

/** A column of a listing. */
export interface Column<Row> {
  readonly title: string;
  readonly show: (row: Row) => string | number | undefined;
  /** Whether a terminal that is too narrow may get the beginning of its values. Identifiers must stay whole. */
  readonly isCuttable?: true;
}

/** How a terminal shows values. */
export interface DrawOptions {
  /** Whether to print all of every value, in lines of any width. */
  readonly wide?: boolean | undefined;
  /** The time in epoch milliseconds: instants are shown as distances from it. */
  readonly now?: number | undefined;
}

interface ListingOptions extends DrawOptions {
  /** Whether to print the rows as a JSON array. */
  readonly json?: boolean | undefined;
  /** Whether to print comma-separated values (RFC 4180), for a spreadsheet. */
  readonly csv?: boolean | undefined;
  /** The sentence on standard error when there are no rows. */
  readonly empty?: string;
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An instant as its distance from now; any other value as it is. */
const shortened = (value: string, { wide, now }: DrawOptions): string =>
  wide || now === undefined || !instant.test(value) ? value : formatDistance(Date.parse(value), now);

/** A name and its value. */
export type Fact = readonly [name: string, value: string | number | undefined];

/** Facts for a terminal, with the values wrapped between words. */
const drawFacts = (facts: readonly (readonly [string, string])[], columns: number): string => {
  const width = columns - gapWidth - Math.max(0, ...facts.map(([name]) => name.length));
  return drawTable(facts.map(([name, value]) => [name, Number.isFinite(columns) ? wrapValue(value, width) : value]));
};

/** Rows for a terminal: a table when it fits with its widest texts cut, else a block of facts for each row. */
const drawListing = (
  titles: readonly string[],
  lines: readonly (readonly string[])[],
  isCuttable: readonly boolean[],
  columns: number,
): string => {
  const widths = fitWidths([titles, ...lines], isCuttable, columns);
  if (widths !== undefined) {
    const cut = (line: readonly string[]) => line.map((text, index) => cutText(text, widths[index] ?? 0));
    return drawTable([cut(titles).map(pc.createColors(pc.isColorSupported).bold), ...lines.map(cut)]);
  }
  const blocks = lines.map((line) => {
    const facts = line.map((text, index) => [titles[index] ?? '', text] as const);
    return drawFacts(
      facts.filter(([, text]) => text !== ''),
      columns,
    );
  });
  return blocks.join('\n\n');
};

/** Prints a value as JSON. */
export const printJson = (value: unknown, to: Output = process.stdout): void => {
  to.write(`${plainLines(JSON.stringify(value, null, 2))}\n`); // in JSON, too, \u009b is an escape
};

const printSeparated = (lines: readonly (readonly string[])[], to: Output): void => {
  to.write(`${lines.map((line) => line.join('\t')).join('\n')}\n`);
};

const number = /^-?[0-9]+(\.[0-9]+)?$/;

/** A text that a spreadsheet would compute as a formula, behind an apostrophe, which keeps it a text. */
const asText = (value: string): string => (/^\s*[=+\-@]/.test(value) && !number.test(value) ? `'${value}` : value);

/** Puts a value with a comma or quote into quotes. */
const quoted = (value: string): string => (/[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** Cells, without control characters, as a line of comma-separated values. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(asText).map(quoted).join(',')}\r\n`;

/**
 * Prints rows: on a terminal as a table or in blocks, tab-separated under a line of titles in a pipe, as a JSON array, or as
 * comma-separated values under a line of titles.
 */
export const printListing = <Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { json = false, csv = false, empty = 'Nothing to list.', ...options }: ListingOptions = {},
  to: Output = process.stdout,
): void => {
  if (json) {
    printJson(rows, to);
    return;
  }
  if (rows.length === 0) note(empty);
  const titles = columns.map(({ title }) => title);
  const lines = rows.map((row) => columns.map(({ show }) => cell(show(row))));
  if (csv) for (const line of [titles, ...lines]) to.write(csvLine(line));
  else if (!to.isTTY) printSeparated([titles, ...lines], to);
  else if (rows.length > 0) {
    const shown = lines.map((line) => line.map((value) => shortened(value, options)));
    const cuttable = columns.map(({ isCuttable = false }) => isCuttable);
    to.write(`${drawListing(titles, shown, cuttable, options.wide ? Number.POSITIVE_INFINITY : columnsOf(to))}\n`);
  }
};

/** An instant with its distance from now; any other value as it is. */
const withDistance = (value: string, { now }: DrawOptions): string =>
  now === undefined || !instant.test(value) ? value : `${value} (${formatDistance(Date.parse(value), now)})`;

/** Prints facts about one thing, one a line, without those that have no value. */
export const printFacts = (facts: readonly Fact[], options: DrawOptions = {}, to: Output = process.stdout): void => {
  const known = facts.filter(([, value]) => value !== undefined).map(([name, value]) => [name, cell(value)] as const);
  if (!to.isTTY) printSeparated(known, to);
  else {
    const shown = known.map(([name, value]) => [name, withDistance(value, options)] as const);
    to.write(`${drawFacts(shown, options.wide ? Number.POSITIVE_INFINITY : columnsOf(to))}\n`);
  }
};
