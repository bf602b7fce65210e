/**
 * Invisible characters, and characters that could move a cursor, change the text direction or end a
 * line: control characters, line separators, and Unicode's default ignorables. Not variation
 * selectors, nor joiners between emoji: Japanese names and emoji need them.
 */
const unseen =
  /(?!\p{VS}|(?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d\p{ExtPict})[\p{Cc}\p{DI}\u2028\u2029\ufff9-\ufffb]/gu;

/**
 * Text that a CI system runs as a command: `##[error]` and `##vso[…]` anywhere, `::error::` at the
 * start of a line.
 */
const ciCommand = /##(?=[a-z]*\[)|(?<=^|\s)::(?=[a-z])/gi;

/**
 * Replaces text that is unsafe for people or CI systems. Names of artists, partners and
 * organizations are free text.
 */
const replaceUnsafe = (text: string, replace: (characters: string) => string): string =>
  text
    .replaceAll(unseen, replace)
    .replaceAll(ciCommand, ([first = '', second = '']) => first + replace(second));

/** JSON escapes, so that the escaped text of a JSON document is the same document. */
const escapeUnits = (characters: string): string =>
  characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/**
 * A safe text in one line: invisible and control characters are written as code points, and so is
 * one character of each CI command.
 */
export const plainText = (text: string): string => replaceUnsafe(text, escapeUnits);

/**
 * Writes combining marks as code points if Unicode also has them combined with their letter:
 * `e\u0301` is then not mistaken for `é`. Two identifiers may differ only in this.
 */
export const withVisibleMarks = (text: string): string =>
  text.replaceAll(/(\P{M})(\p{M}+)/gu, (whole, letter: string, marks: string) =>
    whole.normalize('NFC') === whole ? whole : letter + escapeUnits(marks),
  );

/** `plainText` of each line of a text. */
export const plainLines = (text: string): string => text.split('\n').map(plainText).join('\n');

/** A value with blanks for unsafe characters: a cell of a table or of tab-separated lines. */
export const cell = (value: string | number | undefined): string =>
  replaceUnsafe(String(value ?? ''), () => ' ');

/**
 * A text as one line: each line end, and the blanks around it, as one blank. Takes linear time,
 * which `\s*\n\s*` does not.
 */
export const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
