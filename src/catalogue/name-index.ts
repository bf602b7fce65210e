import { firstWhere } from '../domain/order.ts';

const ascii = /^[ -~]*$/;

/** Lower, upper and lower case again: `ß`, `ẞ` and `SS` become `ss`, and `ς` and `σ` become `σ`. */
const foldCodePoint = (character: string): string => {
  const upper = character.toLowerCase().toUpperCase();
  let folded = '';
  // one by one: a sigma does not depend on its neighbours
  for (const part of upper) folded += part.toLowerCase();
  return folded;
};

/**
 * Folds a text for comparisons without regard to case (decisions, "Parameters and contents"): code
 * point by code point, then NFC, so that `ΐ` stays one letter that `ι` does not find.
 */
export const foldCase = (text: string): string => {
  if (ascii.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text.normalize('NFC')) folded += foldCodePoint(character);
  return folded.normalize('NFC');
};

export interface NameIndex {
  /**
   * Indexes of the names that contain `text`, ascending, from `from` up to but not including `to`.
   */
  search(text: string, from: number, to: number): Iterable<number>;
}

/**
 * Between two names: the first half of a pair of which no name has the second half at its start. A
 * text of whole code points never matches it, so a search never spans two names.
 */
const separator = '\uD800';

/**
 * Creates an index of folded names: one joined text, searched in one pass. A search of 50,000 names
 * takes a fraction of a millisecond; a loop over the names takes several.
 */
export const createNameIndex = (folded: readonly string[]): NameIndex => {
  const starts = new Uint32Array(folded.length);
  let length = 0;
  const lines = folded.map((name, index) => {
    starts[index] = length;
    length += name.length + separator.length;
    return name.toWellFormed();
  });
  const joined = lines.join(separator);

  return {
    *search(text, from, to) {
      const sought = foldCase(text);
      if (!sought.isWellFormed()) return;
      let index = from;
      while (index < to) {
        const offset = joined.indexOf(sought, starts[index]);
        if (offset === -1) return;
        // the name that contains the offset
        index = firstWhere(starts, (start) => start > offset) - 1;
        if (index >= to) return;
        yield index;
        index += 1;
      }
    },
  };
};
