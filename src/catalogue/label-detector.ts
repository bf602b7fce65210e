import { groupBy } from '../domain/group-by.ts';
import type { Label } from '../domain/model.ts';
import { foldCase } from './name-index.ts';

/** Finds the tracked label in a P-line, by its name; `undefined` when there is none. */
export type LabelDetector = (pLine: string) => string | undefined;

/** The words of a folded text, under one reading of punctuation: it parts words, or it counts as nothing. */
type WordsOf = (folded: string) => readonly string[];

const fold = (text: string): string => foldCase(text.normalize('NFKC')).normalize('NFKC');

const split = (text: string, separators: RegExp): readonly string[] =>
  text.split(separators).filter((word) => word !== '');

/** `Sub/Pop` is two words. */
const partedByPunctuation: WordsOf = (folded) => split(folded, /[^\p{L}\p{M}\p{N}]+/u);

/** `U.M.G.` is one word. */
const joinedAcrossPunctuation: WordsOf = (folded) => split(folded.replaceAll(/[^\p{L}\p{M}\p{N}\s]+/gu, ''), /\s+/u);

/** A folded name or alias of a label. */
interface Spelling {
  readonly folded: string;
  readonly label: string;
}

/** A detector in folded texts under one reading of punctuation, for P-lines and labels alike. */
const createReadingDetector = (spellings: readonly Spelling[], wordsOf: WordsOf): LabelDetector => {
  const candidates = spellings.map(({ folded, label }) => ({ label, words: wordsOf(folded) }));
  const byFirstWord = groupBy(
    candidates.filter(({ words }) => words.length > 0).sort((left, right) => right.words.length - left.words.length),
    ({ words: [first] }) => first,
  );
  return (folded) => {
    const words = wordsOf(folded);
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
  const spellings = labels.flatMap(({ name, aliases }) =>
    [name, ...aliases].map((text) => ({ folded: fold(text), label: name })),
  );
  const parted = createReadingDetector(spellings, partedByPunctuation);
  const joined = createReadingDetector(spellings, joinedAcrossPunctuation);
  return (pLine) => {
    const folded = fold(pLine);
    return parted(folded) ?? joined(folded);
  };
};
