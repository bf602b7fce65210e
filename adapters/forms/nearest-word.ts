import { closestMatch } from 'leven';

/** Characters. Longer words are not looked up: comparing them takes time. */
const maxLength = 40;

/**
 * Finds the word that a misspelt one probably means, ignoring case: at most two letters may differ,
 * and one in words of up to four letters. `undefined` when none is near.
 */
export const nearestWord = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > maxLength) return undefined;
  const small = word.toLowerCase();
  const exact = known.find((candidate) => candidate.toLowerCase() === small);
  const maxDistance = Math.min(2, Math.floor(small.length / 2));
  return exact ?? (maxDistance === 0 ? undefined : closestMatch(small, known, { maxDistance }));
};
