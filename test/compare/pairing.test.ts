import { expect } from 'chai';
import { firstDisorder, pairItems } from '../../adapters/compare/checks/pairing.ts';

const pairs = (current: string, variant: string): string =>
  pairItems([...current], [...variant])
    .map(([left, right]) => `${left ?? '-'}${right ?? '-'}`)
    .join(' ');

describe('pairItems', () => {
  it('pairs items with the same identity at the same index first', () => {
    expect(pairs('abc', 'abc')).to.equal('00 11 22');
    expect(pairs('aab', 'aab')).to.equal('00 11 22');
  });

  it('pairs items with the same identity at different indexes', () => {
    expect(pairs('abc', 'cab')).to.equal('01 12 20');
  });

  it('returns items without a counterpart', () => {
    expect(pairs('abc', 'bc')).to.equal('0- 10 21');
    expect(pairs('bc', 'abc')).to.equal('01 12 -0');
    expect(pairs('a', '')).to.equal('0-');
  });

  it('pairs remaining items by index, so that a changed identity shows as one difference', () => {
    expect(pairs('abc', 'axc')).to.equal('00 11 22');
  });

  it('finds the first pair whose order differs (firstDisorder)', () => {
    expect(firstDisorder(pairItems([...'abc'], [...'abc']))).to.equal(undefined);
    expect(firstDisorder(pairItems([...'abc'], [...'bc']))).to.equal(undefined);
    expect(firstDisorder(pairItems([...'abc'], [...'bac']))).to.deep.equal([1, 0]);
  });
});
