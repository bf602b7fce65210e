/**
 * Folds a name for case-insensitive search: NFC, upper case. Upper case because, unlike lower case, it does not depend on a
 * letter's neighbours (Greek sigma).
 */
export const foldName = (name: string): string => name.normalize('NFC').toUpperCase().normalize('NFC');

export interface NameIndex {
  /** Indexes of the names that contain `text`, ascending, from `from` up to but not including `to`. */
  search(text: string, from: number, to: number): Iterable<number>;
}

const separator = '\n';

/** The index of the name that contains the offset. */
const indexAt = (starts: Uint32Array, offset: number): number => {
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
 * Creates an index of folded names: one joined text, searched in one pass. A search of 50,000 names takes a fraction of a
 * millisecond; a loop over the names takes several.
 */
export const createNameIndex = (folded: readonly string[]): NameIndex => {
  const starts = new Uint32Array(folded.length);
  let length = 0;
  const lines = folded.map((name, index) => {
    starts[index] = length;
    length += name.length + separator.length;
    return name.replaceAll(separator, ' ');
  });
  const joined = lines.join(separator);

  return {
    *search(text, from, to) {
      const sought = foldName(text);
      if (sought.includes(separator)) return;
      let index = from;
      while (index < to) {
        const offset = joined.indexOf(sought, starts[index]);
        if (offset === -1) return;
        index = indexAt(starts, offset);
        if (index >= to) return;
        yield index;
        index += 1;
      }
    },
  };
};
