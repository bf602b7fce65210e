/**
 * Names as they are compared: without regard to case, composed. Upper case is the fold because, unlike lower case, it does
 * not depend on a letter's neighbours (Greek sigma).
 */
export const foldName = (name: string): string => name.normalize('NFC').toUpperCase().normalize('NFC');

/** Finds the places, in ascending order, of the names that hold a text. */
export interface NameIndex {
  /** Places from `from` up to but not including `to`. */
  search(text: string, from: number, to: number): Iterable<number>;
}

const separator = '\n';

/** The last place whose name starts at or before the offset. */
const placeAt = (starts: Uint32Array, offset: number): number => {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
};

/**
 * An index over folded names in list order: one joined text, searched in one pass. Fifty thousand names take a fraction of a
 * millisecond, where a loop over the names takes several.
 */
export const createNameIndex = (folded: readonly string[]): NameIndex => {
  const starts = new Uint32Array(folded.length);
  let length = 0;
  const lines = folded.map((name, place) => {
    starts[place] = length;
    length += name.length + separator.length;
    return name.replaceAll(separator, ' ');
  });
  const joined = lines.join(separator);

  return {
    *search(text, from, to) {
      const sought = foldName(text);
      if (sought.includes(separator)) return;
      let place = from;
      while (place < to) {
        const offset = joined.indexOf(sought, starts[place]);
        if (offset === -1) return;
        place = placeAt(starts, offset);
        if (place >= to) return;
        yield place;
        place += 1;
      }
    },
  };
};
