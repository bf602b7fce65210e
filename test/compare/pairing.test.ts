import { expect } from 'chai';
import { firstDisorder, pairItems } from '../../adapters/compare/checks/pairing.ts';

describe('pairItems', () => {
  const rows: readonly (readonly [what: string, current: string, variant: string, pairs: string])[] = [
    ['items with the same identity at the same index', 'abc', 'abc', '00 11 22'],
    ['of equal identities those at the same index', 'aab', 'aab', '00 11 22'],
    ['items with the same identity at different indexes', 'abc', 'cab', '01 12 20'],
    ['nothing with an item that the second list lacks', 'abc', 'bc', '0- 10 21'],
    ['nothing with an item that the first list lacks', 'bc', 'abc', '01 12 -0'],
    ['nothing with an empty list', 'a', '', '0-'],
    ['remaining items by index, so that a changed identity is one difference', 'abc', 'axc', '00 11 22'],
  ];
  for (const [what, current, variant, expected] of rows) {
    it(`pairs ${what}`, () => {
      const pairs = pairItems([...current], [...variant]).map(([left, right]) => `${left ?? '-'}${right ?? '-'}`);
      expect(pairs.join(' ')).to.equal(expected);
    });
  }

  it('finds the first pair whose order differs (firstDisorder)', () => {
    expect(firstDisorder(pairItems([...'abc'], [...'abc']))).to.equal(undefined);
    expect(firstDisorder(pairItems([...'abc'], [...'bc']))).to.equal(undefined);
    expect(firstDisorder(pairItems([...'abc'], [...'bac']))).to.deep.equal([1, 0]);
  });
});
