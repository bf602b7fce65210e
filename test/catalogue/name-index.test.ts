import { expect } from 'chai';
import fc from 'fast-check';
import { createNameIndex, foldCase } from '../../src/catalogue/name-index.ts';

/**
 * Few letters, so that names and queries match, with some whose case folding or composition is not
 * one to one.
 */
const letter = fc.constantFrom(
  ...'a|A|b|B| |ß|é|e\u0301|σ|ς|Σ|İ|ﬁ|ẞ|ι|ΐ|\n|\0|😀|🏿|\u{10000}|\u{203FF}|\u0301'.split('|'),
);
const text = fc.oneof(
  fc.array(letter, { maxLength: 8 }).map((letters) => letters.join('')),
  fc.string({ unit: 'binary', maxLength: 5 }),
);

const find = (names: readonly string[], sought: string, from = 0, to = names.length): number[] => [
  ...createNameIndex(names.map(foldCase)).search(sought, from, to),
];

describe('name index', () => {
  it('finds the same as a plain loop, for any names, texts and ranges', () => {
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 12 }),
        text,
        fc.nat(12),
        fc.nat(12),
        (names, sought, one, other) => {
          const from = Math.min(one, other, names.length);
          const to = Math.min(Math.max(one, other), names.length);
          const plain = names.flatMap((name, index) =>
            index >= from && index < to && foldCase(name).includes(foldCase(sought)) ? [index] : [],
          );
          expect(find(names, sought, from, to)).to.deep.equal(plain);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
