import stringWidth from 'string-width';

/** Spaces between two columns of a table. */
const gap = '  ';

/** What a reader takes for characters. */
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The text, or its beginning with `…` when it is wider than `width`. Never cuts a character in two.
 */
export const cutText = (text: string, width: number): string => {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(kept + segment) >= width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
};

/** Draws rows in aligned columns; a CJK character takes two columns of a terminal. */
export const drawTable = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0]?.map((_, index) =>
    Math.max(...rows.map((row) => stringWidth(row[index] ?? ''))),
  );
  const pad = (text: string, index: number): string =>
    text + ' '.repeat(Math.max(0, (widths?.[index] ?? 0) - stringWidth(text)));
  return rows.map((row) => row.map(pad).join(gap).trimEnd()).join('\n');
};
