import type { Label } from '../domain/model.ts';
import { compareLabelNames } from '../domain/order.ts';
import type { LabelDetector } from '../domain/signals.ts';
import { forEachInTurns, sortInTurns } from '../runtime/cooperative.ts';
import { foldCase } from './name-index.ts';

/** Splits a folded text into words. Punctuation either separates words or is ignored. */
type WordsOf = (folded: string) => readonly string[];

/**
 * Punctuation or a symbol, with its combining marks: a variation selector belongs to the symbol
 * before it, not to the word after it.
 */
const sign = /[\p{P}\p{S}]\p{M}*/gu;

/**
 * Replaces symbols by hyphens before NFKC, which would turn `™` into letters of the word before it,
 * and `´` into a mark of the word after it.
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
  readonly label: string;
}

/** Indexes the spellings under one rule for punctuation, for both P-lines and labels. */
const createReading = (wordsOf: WordsOf) => {
  const labels = new Map<string, string>();
  /** Word counts of the spellings that begin with a word, largest first. */
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
    /** Finds a label in a folded text. */
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
 * The spellings of labels by priority: all names before any alias, each in the order of the labels'
 * names.
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
 * Creates a detector for these labels (contract, `/api/v1/signings`), in steps between requests.
 * Finds names and aliases as whole words: the first in the P-line wins, then the longest. Ignores
 * punctuation only if nothing is found with punctuation as a separator. A name wins over an alias,
 * then the first label by name, because MongoDB's order varies.
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
