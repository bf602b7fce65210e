/** Characters that could move a cursor, turn the text or end a line. Names of partners and organizations are free text. */
const controls = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A text with its control characters, line ends and direction marks as code points: it cannot move a cursor. */
export const plainText = (text: string): string =>
  text.replaceAll(controls, (control) => `\\u${(control.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);

/** A value with blanks for such characters: a cell of a table or of tab-separated lines. */
export const cell = (value: string | number | undefined): string => String(value ?? '').replaceAll(controls, ' ');

/** A text as one line: each line end, and the blanks around it, as one blank. Takes linear time, which `\s*\n\s*` does not. */
export const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
