import type { Label } from '../domain/model.ts';

/** Finds the tracked label in a P-line, by its name; `undefined` when there is none. */
export type LabelDetector = (pLine: string) => string | undefined;

/** The words of a text, without regard to case or punctuation. Upper case, as for names, does not depend on neighbours. */
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .normalize('NFKC')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');

interface Spelling {
  readonly words: readonly string[];
  readonly label: string;
}

/**
 * A detector for these labels (specification, "Signing indicators"). A label is found by its name or an alias, as whole
 * words. Where a P-line holds several, the one named first counts; of those that begin at one word, the longest.
 */
export const createLabelDetector = (labels: readonly Label[]): LabelDetector => {
  const byFirstWord = new Map<string, Spelling[]>();
  for (const label of labels) {
    for (const text of [label.name, ...label.aliases]) {
      const words = wordsOf(text);
      const [first] = words;
      if (first === undefined) continue;
      const spellings = byFirstWord.get(first) ?? [];
      byFirstWord.set(first, [...spellings, { words, label: label.name }]);
    }
  }
  for (const spellings of byFirstWord.values()) spellings.sort((left, right) => right.words.length - left.words.length);

  return (pLine) => {
    const words = wordsOf(pLine);
    for (const [index, word] of words.entries()) {
      const found = byFirstWord
        .get(word)
        ?.find((spelling) => spelling.words.every((part, offset) => words[index + offset] === part));
      if (found !== undefined) return found.label;
    }
    return undefined;
  };
};
