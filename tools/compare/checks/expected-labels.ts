import { type Json, listAt, textAt } from '../../../src/domain/json.ts';

/**
 * Ignores case, code point by code point, so that `ß` and `SS` agree, and composes letters with
 * their accents.
 */
export const foldText = (text: string): string =>
  [...text.normalize('NFC')]
    .map((letter) =>
      [...letter.toLowerCase().toUpperCase()].map((part) => part.toLowerCase()).join(''),
    )
    .join('')
    .normalize('NFC');

/** Two ways to split a text into words: punctuation separates words, or is removed. */
const readings: readonly ((folded: string) => readonly string[])[] = [
  (folded) => folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [],
  (folded) => folded.replaceAll(/[^\p{L}\p{M}\p{N}\s]/gu, '').match(/\S+/g) ?? [],
];

/** Symbols become dots first, because NFKC would turn some into letters (`™`) or marks (`´`). */
const foldForms = (text: string): string =>
  foldText(text.replaceAll(/[\p{P}\p{S}]\p{M}*/gu, '.').normalize('NFKC')).normalize('NFKC');

/**
 * Finds the label in a P-line, by the first reading that finds one: the label that is named first,
 * of several there the longest.
 */
export const createLabelSearch = (
  labels: readonly Json[],
): ((pLine: string) => string | undefined) => {
  const spellings = labels.flatMap((label) =>
    [textAt(label, 'name') ?? '', ...listAt(label, 'aliases').map(String)].map((spelling) => ({
      name: textAt(label, 'name') ?? '',
      folded: foldForms(spelling),
    })),
  );
  const known = readings.map((wordsOf) =>
    spellings
      .map(({ name, folded }) => ({ name, words: wordsOf(folded) }))
      .filter(({ words }) => words.length > 0)
      .sort((left, right) => right.words.length - left.words.length),
  );
  const findIn = (line: readonly string[], index: number): string | undefined =>
    line
      .map((_, at) =>
        known[index]?.find(({ words }) =>
          words.every((word, offset) => line[at + offset] === word),
        ),
      )
      .find((found) => found !== undefined)?.name;
  return (pLine) => {
    const folded = foldForms(pLine);
    return readings
      .map((wordsOf, index) => findIn(wordsOf(folded), index))
      .find((name) => name !== undefined);
  };
};
