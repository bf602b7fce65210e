import { expect } from 'chai';
import { firstDisorder, pairPlaces } from '../../adapters/compare/checks/pairing.ts';

const pairs = (current: string, variant: string): string =>
  pairPlaces([...current], [...variant])
    .map((pair) => `${pair.current ?? '-'}${pair.variant ?? '-'}`)
    .join(' ');

describe('pairing', () => {
  it('takes the same place with the same identity first', () => {
    expect(pairs('abc', 'abc')).to.equal('00 11 22');
    expect(pairs('aab', 'aab')).to.equal('00 11 22');
  });

  it('finds the same identity elsewhere', () => {
    expect(pairs('abc', 'cab')).to.equal('01 12 20');
  });

  it('says what has no counterpart', () => {
    expect(pairs('abc', 'bc')).to.equal('0- 10 21');
    expect(pairs('bc', 'abc')).to.equal('01 12 -0');
    expect(pairs('a', '')).to.equal('0-');
  });

  it('pairs by place what has lost its identity, so that the change shows as one difference', () => {
    expect(pairs('abc', 'axc')).to.equal('00 11 22');
  });

  it('finds where the order of two lists parts', () => {
    expect(firstDisorder(pairPlaces([...'abc'], [...'abc']))).to.equal(undefined);
    expect(firstDisorder(pairPlaces([...'abc'], [...'bc']))).to.equal(undefined);
    expect(firstDisorder(pairPlaces([...'abc'], [...'bac']))).to.deep.equal({ current: 1, variant: 0 });
  });
});
