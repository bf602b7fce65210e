import stringWidth from 'string-width';

const gap = '  ';

/** Draws rows in aligned columns; a CJK character takes two columns of a terminal. */
export const drawTable = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0]?.map((_, index) =>
    Math.max(...rows.map((row) => stringWidth(row[index] ?? ''))),
  );
  const pad = (text: string, index: number): string =>
    text + ' '.repeat(Math.max(0, (widths?.[index] ?? 0) - stringWidth(text)));
  return rows.map((row) => row.map(pad).join(gap).trimEnd()).join('\n');
};
