import type { Label } from '../domain/model.ts';
import { compareLabelNames } from '../domain/order.ts';
import type { LabelDetector } from '../domain/signals.ts';
import { forEachInTurns, sortInTurns } from '../runtime/cooperative.ts';
import { foldCase } from './name-index.ts';

/**
 * The words of a folded text, under one reading of punctuation: it parts words, or it counts as
 * nothing.
 */
type WordsOf = (folded: string) => readonly string[];

/**
 * Punctuation or a sign, with marks on it: a variation selector belongs to the sign before it, not
 * to the word behind.
 */
const sign = /[\p{P}\p{S}]\p{M}*/gu;

/**
 * Signs become hyphens first: NFKC would turn `™` into letters of the word before it, and `´` into
 * a mark of the word behind.
 */
const fold = (text: string): string => {
  const plain = text.replaceAll(sign, '-');
  return foldCase(plain.normalize('NFKC')).normalize('NFKC');
};

const split = (text: string, separators: RegExp): readonly string[] =>
  text.split(separators).filter((word) => word !== '');

/** `Sub/Pop` is two words. */
const partedByPunctuation: WordsOf = (folded) => split(folded, /[^\p{L}\p{M}\p{N}]+/u);

/** `U.M.G.` is one word. */
const joinedAcrossPunctuation: WordsOf = (folded) =>
  split(folded.replaceAll(/[^\p{L}\p{M}\p{N}\s]+/gu, ''), /\s+/u);

/** A name or alias of a label. */
interface Spelling {
  readonly text: string;
  /** The name of the label. */
  readonly label: string;
}

/** The spellings under one reading of punctuation, for P-lines and labels alike. */
const createReading = (wordsOf: WordsOf) => {
  const labels = new Map<string, string>();
  /** How many words the spellings have that begin with a word, the most first. */
  const lengths = new Map<string, readonly number[]>();
  return {
    /** The first label with a spelling keeps it. */
    add(folded: string, label: string): void {
      const words = wordsOf(folded);
      const [first] = words;
      const spelling = words.join(' ');
      if (first === undefined || labels.has(spelling)) return;
      labels.set(spelling, label);
      const known = lengths.get(first) ?? [];
      if (!known.includes(words.length))
        lengths.set(
          first,
          [...known, words.length].sort((left, right) => right - left),
        );
    },
    /** Detects a label in a folded text. */
    detect(folded: string): string | undefined {
      const words = wordsOf(folded);
      for (const [index, word] of words.entries()) {
        for (const length of lengths.get(word) ?? []) {
          const label = labels.get(words.slice(index, index + length).join(' '));
          if (label !== undefined) return label;
        }
      }
      return undefined;
    },
  };
};

/**
 * The spellings of labels, before those that they prevail over: all names before any alias, each in
 * the order of the labels' names.
 */
const orderSpellings = async (labels: readonly Label[]): Promise<Iterable<Spelling>> => {
  const ordered = await sortInTurns(labels, (left, right) =>
    compareLabelNames(left.name, right.name),
  );
  return (function* () {
    for (const { name } of ordered) yield { text: name, label: name };
    for (const { name, aliases } of ordered)
      for (const alias of new Set(aliases)) yield { text: alias, label: name };
  })();
};

/**
 * Makes a detector for these labels (contract, `/api/v1/signings`), in turns of the event loop.
 * A label is found by its name or an alias, as whole words. Where a P-line holds several, the one
 * named first counts; of those that begin at one word, the longest. Only where punctuation as a
 * separator finds nothing, it counts as nothing. Of labels with one spelling the one counts whose
 * name it is, then the first by name: MongoDB may give them in another order each time. The time to
 * detect does not depend on the number of spellings.
 */
export const createLabelDetector = async (labels: readonly Label[]): Promise<LabelDetector> => {
  const parted = createReading(partedByPunctuation);
  const joined = createReading(joinedAcrossPunctuation);
  await forEachInTurns(await orderSpellings(labels), ({ text, label }) => {
    const folded = fold(text);
    parted.add(folded, label);
    joined.add(folded, label);
  });
  return (pLine) => {
    const folded = fold(pLine);
    return parted.detect(folded) ?? joined.detect(folded);
  };
};
