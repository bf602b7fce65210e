import { expect } from 'chai';
import { groupBy } from '../../src/domain/group-by.ts';

describe('groupBy', () => {
  it('keeps the order of keys by their first item, and of items in a group', () => {
    const groups = groupBy(['beta', 'alpha', 'bravo', 'atlas'], (word) => word[0]);
    expect([...groups]).to.deep.equal([
      ['b', ['beta', 'bravo']],
      ['a', ['alpha', 'atlas']],
    ]);
  });

  it('is empty for no items', () => {
    expect(groupBy([], String).size).to.equal(0);
  });
});
