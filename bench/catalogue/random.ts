/** Pseudo-random numbers, the same in every run (mulberry32). */
export const createRandom = (seed: number) => {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number from 0 up to but not including `end`. */
  const below = (end: number): number => Math.floor(fraction() * end);
  return {
    below,
    pick: (words: readonly string[]): string => words[below(words.length)] ?? '',
    chance: (probability: number): boolean => fraction() < probability,
  };
};

export type Random = ReturnType<typeof createRandom>;
