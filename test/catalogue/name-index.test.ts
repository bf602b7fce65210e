import { expect } from 'chai';
import fc from 'fast-check';
import { createNameIndex, foldCase } from '../../src/catalogue/name-index.ts';

/** Few letters, so that names and queries match, with some whose case folding or composition is not one to one. */
const letter = fc.constantFrom(
  'a',
  'A',
  'b',
  'B',
  ' ',
  'ß',
  'é',
  'e\u0301',
  'σ',
  'ς',
  'Σ',
  'İ',
  'ﬁ',
  'ẞ',
  'ι',
  'ΐ',
  '\n',
  '\0',
  '😀',
  '\u0301',
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
      fc.property(fc.array(text, { maxLength: 12 }), text, fc.nat(12), fc.nat(12), (names, sought, one, other) => {
        const from = Math.min(one, other, names.length);
        const to = Math.min(Math.max(one, other), names.length);
        const plain = names.flatMap((name, index) =>
          index >= from && index < to && foldCase(name).includes(foldCase(sought)) ? [index] : [],
        );
        expect(find(names, sought, from, to)).to.deep.equal(plain);
      }),
      { numRuns: 1000 },
    );
  });

  for (const [how, name, sought] of [
    ['in another case', 'Alpha', 'aLPH'],
    ['by a sigma that ends a word', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['by a sigma that does not end a word', 'Οδυσσεύς', 'ΣΕΎΣ'],
    ['by decomposed letters', 'Beyonc\u00e9', 'beyonce\u0301'],
    ['by composed letters', 'Beyonce\u0301', 'BEYONC\u00c9'],
    ['by marks in another order', '\u03b1\u0345\u0301', '\u03b1\u0301\u0345'],
    ['by a sharp s', 'Strauß', 'STRAUSS'],
    ['with a capital sharp s, by a small one', 'STRAẞE', 'straße'],
    ['with a small sharp s, by a capital one', 'Straße', 'ẞ'],
    ['by a line break', 'one\ntwo', 'e\nt'],
    ['by a tab and a NUL', 'a\t\0b', '\t\0'],
    ['by blanks', 'one  two', '  '],
    ['behind a line break', 'one\ntwo', 'two'],
    ['by characters of regular expressions', 'a.*(b)[c]\\d', '.*(B)[c]\\'],
    ['without letters, by an empty text', '', ''],
    ['by an empty text', 'Alpha', ''],
  ] as const) {
    it(`finds a name ${how}`, () => {
      expect(find(['Other', name, 'Other'], sought)).to.include(1);
    });
  }

  for (const [what, names, sought] of [
    ['a text that spans two names', ['one', 'two'], 'onetwo'],
    ['a line break between two names', ['one', 'two'], 'one\ntwo'],
    ['a line break alone', ['one', 'two'], '\n'],
    ['a letter without its accent', ['é'], 'e'],
    ['a letter without its two accents', ['ΐ', 'ΰ'], 'ι'],
    ['a blank in names that have none', ['one', 'two'], ' '],
    ['a pattern', ['Alpha'], 'A.*a'],
    ['anything in an empty list', [], ''],
  ] as const) {
    it(`does not find ${what}`, () => {
      expect(find(names, sought)).to.deep.equal([]);
    });
  }

  it('finds each name once, also after a name with line breaks', () => {
    expect(find(['a\na\na', 'b', 'aaa'], 'A')).to.deep.equal([0, 2]);
  });

  it('folds composed and decomposed texts to the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (any) => {
        expect(foldCase(any.normalize('NFD'))).to.equal(foldCase(any.normalize('NFC')));
      }),
    );
  });
});
