import leven, { closestMatch } from 'leven';

/** Characters. Longer words are not looked up: comparing them takes time. */
const maxLength = 40;

/**
 * Finds the word that a misspelt one probably means, ignoring case: at most two letters may differ, and one in words of up to
 * four letters. `undefined` when none is near.
 */
export const nearestWord = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > maxLength) return undefined;
  const small = word.toLowerCase();
  const exact = known.find((candidate) => candidate.toLowerCase() === small);
  const maxDistance = Math.min(2, Math.floor(small.length / 2));
  return exact ?? (maxDistance === 0 ? undefined : closestMatch(small, known, { maxDistance }));
};

const sortedLetters = (text: string): string => [...text].sort().join('');

/** Whether a text becomes the one that was meant by changing, adding or leaving out one letter, or by swapping two. */
export const isMisspelt = (text: string, meant: string): boolean => {
  const distance = leven(text, meant, { maxDistance: 3 });
  return distance === 1 || (distance === 2 && sortedLetters(text) === sortedLetters(meant));
};

/** Whether a message may repeat a name that a client sent (decisions, "Errors"): never what could be a value. */
export const isRepeatable = (name: string): boolean => /^[A-Za-z0-9_.-]{1,40}$/.test(name);
