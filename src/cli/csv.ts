import type { Column } from './listing.ts';

/** Whatever would end a cell or a line is put between quotes, and quotes are doubled. */
const cell = (value: string | number | undefined): string => {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** A line of CSV as RFC 4180 has it, with the end of the line. */
export const csvLine = (values: readonly (string | number | undefined)[]): string =>
  `${values.map(cell).join(',')}\r\n`;

/** Rows as CSV, under a line of titles. */
export const csvOf = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string =>
  [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ show }) => show(row)))].map(csvLine).join('');
