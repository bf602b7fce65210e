import type { Label } from '../domain/model.ts';
import { foldCase } from './name-index.ts';

/** Finds the tracked label in a P-line, by its name; `undefined` when there is none. */
export type LabelDetector = (pLine: string) => string | undefined;

/** The words of a text without regard to case. Two readings of punctuation: it parts words, or it counts as nothing. */
type WordsOf = (text: string) => readonly string[];

const fold = (text: string): string => foldCase(text.normalize('NFKC')).normalize('NFKC');

const split = (text: string, separators: RegExp): readonly string[] =>
  text.split(separators).filter((word) => word !== '');

/** `Sub/Pop` is two words. */
const partedByPunctuation: WordsOf = (text) => split(fold(text), /[^\p{L}\p{M}\p{N}]+/u);

/** `U.M.G.` is one word. */
const joinedAcrossPunctuation: WordsOf = (text) => split(fold(text).replaceAll(/[^\p{L}\p{M}\p{N}\s]+/gu, ''), /\s+/u);

interface Spelling {
  readonly words: readonly string[];
  readonly label: string;
}

/** A detector under one reading of punctuation, for P-lines and labels alike. */
const createReadingDetector = (labels: readonly Label[], wordsOf: WordsOf): LabelDetector => {
  const byFirstWord = new Map<string, Spelling[]>();
  for (const label of labels) {
    for (const text of [label.name, ...label.aliases]) {
      const words = wordsOf(text);
      const [first] = words;
      if (first === undefined) continue;
      const spellings = byFirstWord.get(first) ?? [];
      spellings.push({ words, label: label.name });
      byFirstWord.set(first, spellings);
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

/**
 * A detector for these labels (specification, "Signing indicators"). A label is found by its name or an alias, as whole
 * words. Where a P-line holds several, the one named first counts; of those that begin at one word, the longest. Only where
 * punctuation as a separator finds nothing, it counts as nothing.
 */
export const createLabelDetector = (labels: readonly Label[]): LabelDetector => {
  const parted = createReadingDetector(labels, partedByPunctuation);
  const joined = createReadingDetector(labels, joinedAcrossPunctuation);
  return (pLine) => parted(pLine) ?? joined(pLine);
};
