import { styleText } from 'node:util';
import { cell, plainLines } from '../../../adapters/text/plain-text.ts';
import { countOf, formatDistance, instantText } from '../../../src/domain/quantities.ts';
import { drawTable } from './draw-table.ts';
import { note } from './messages.ts';

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface Column<Row> {
  readonly title: string;
  readonly isWide?: true;
  readonly show: (row: Row) => string | number | undefined;
  /**
   * For identifiers that a program looks up: a file or pipe gets values unchanged, even if a
   * spreadsheet would compute them.
   */
  readonly isExact?: true;
}

export const none = '–';

export interface DrawOptions {
  readonly wide?: boolean | undefined;
  /** The time in epoch milliseconds: instants are shown as distances from it. */
  readonly now?: number | undefined;
}

interface ListingOptions extends DrawOptions {
  readonly onHidden?: (count: number) => void;
  readonly json?: boolean | undefined;
  readonly csv?: boolean | undefined;
  readonly empty?: string;
}

const shortened = (value: string, { wide, now }: DrawOptions): string =>
  wide || now === undefined || !instantText.test(value)
    ? value
    : formatDistance(Date.parse(value), now);

export type Fact = readonly [name: string, value: string | number | undefined];

export const noteHidden = (count: number): void => {
  if (count > 0) note(`${countOf(count, 'column')} hidden. Use --wide to show all.`);
};

export const printJson = (value: unknown, to: Output = process.stdout): void => {
  to.write(`${plainLines(JSON.stringify(value, null, 2))}\n`); // in JSON, too, \u009b is an escape
};

const printSeparated = (lines: readonly (readonly string[])[], to: Output): void => {
  to.write(`${lines.map((line) => line.join('\t')).join('\n')}\n`);
};

const number = /^-?[0-9]+(\.[0-9]+)?$/;

/**
 * A text that a spreadsheet would compute as a formula, behind an apostrophe, which keeps it a
 * text.
 */
const asText = (value: string): string =>
  /^\s*[=+\-@]/.test(value) && !number.test(value) ? `'${value}` : value;

/** Puts a value with a comma, quote or line end into quotes (RFC 4180). */
const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

/**
 * Prints rows: on a terminal as a table, with the wide columns if `wide` is set, tab-separated under
 * a line of titles in a pipe, as a JSON array, or as comma-separated values under a line of titles.
 */
export const printListing = <Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  {
    json = false,
    csv = false,
    empty = 'Nothing to list.',
    onHidden = noteHidden,
    ...options
  }: ListingOptions = {},
  to: Output = process.stdout,
): void => {
  if (json) {
    printJson(rows, to);
    return;
  }
  if (rows.length === 0) note(empty);
  const isShown = ({ isWide }: Column<Row>): boolean =>
    csv || !to.isTTY || options.wide === true || !isWide;
  const shown = columns.filter(isShown);
  const titles = shown.map(({ title }) => title);
  const cellOf = ({ show, isExact }: Column<Row>, row: Row): string => {
    if (!isExact || to.isTTY) return csv ? asText(cell(show(row))) : cell(show(row));
    const value = String(show(row) ?? '');
    return csv ? value : value.replaceAll(/[\t\r\n]/g, ' '); // which lines with tabs cannot hold
  };
  const lines = rows.map((row) => shown.map((column) => cellOf(column, row)));
  if (csv) for (const line of [titles, ...lines]) to.write(csvLine(line));
  else if (!to.isTTY) printSeparated([titles, ...lines], to);
  else if (rows.length > 0) {
    const values = lines.map((line) => line.map((value) => shortened(value, options)));
    to.write(`${drawTable([titles.map((title) => styleText('bold', title)), ...values])}\n`);
    onHidden(columns.length - shown.length);
  }
};

const withDistance = (value: string, { now }: Pick<DrawOptions, 'now'>): string =>
  now === undefined || !instantText.test(value)
    ? value
    : `${value} (${formatDistance(Date.parse(value), now)})`;

/** Prints facts about one thing, one a line, without those that have no value. */
export const printFacts = (
  facts: readonly Fact[],
  options: Pick<DrawOptions, 'now'> = {},
  to: Output = process.stdout,
): void => {
  const known = facts
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, cell(value)] as const);
  if (!to.isTTY) printSeparated(known, to);
  else {
    const shown = known.map(([name, value]) => [name, withDistance(value, options)]);
    to.write(`${drawTable(shown)}\n`);
  }
};
