import { closestMatch } from 'leven';

/** In characters. Longer words are not compared, because it takes too long. */
const maxLength = 40;

/**
 * Finds the word that a misspelt word probably means, ignoring case: at most two letters may
 * differ, or one in words of up to four letters. `undefined` if there is none.
 */
export const nearestWord = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > maxLength) return undefined;
  const small = word.toLowerCase();
  const exact = known.find((candidate) => candidate.toLowerCase() === small);
  const maxDistance = Math.min(2, Math.floor(small.length / 2));
  return exact ?? (maxDistance === 0 ? undefined : closestMatch(small, known, { maxDistance }));
};
