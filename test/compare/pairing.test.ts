import { expect } from 'chai';
import type { Json } from '../../src/domain/json.ts';
import { compareItems } from '../../tools/compare/checks/items.ts';
import { formTitles } from '../../tools/compare/checks/lines.ts';
import { pairItems } from '../../tools/compare/checks/pairing.ts';

describe('pairItems', () => {
  const rows: readonly (readonly [
    what: string,
    current: string,
    variant: string,
    pairs: string,
  ])[] = [
    ['items with the same identity at the same index', 'abc', 'abc', '00 11 22'],
    ['of equal identities those at the same index', 'aab', 'aab', '00 11 22'],
    ['items with the same identity at different indexes', 'abc', 'cab', '01 12 20'],
    ['nothing with an item that the second list lacks', 'abc', 'bc', '0- 10 21'],
    ['nothing with an item that the first list lacks', 'bc', 'abc', '01 12 -0'],
    ['nothing with an empty list', 'a', '', '0-'],
    [
      'remaining items by index, so that a changed identity is one difference',
      'abc',
      'axc',
      '00 11 22',
    ],
  ];
  for (const [what, current, variant, expected] of rows) {
    it(`pairs ${what}`, () => {
      const pairs = pairItems([...current], [...variant]).map(
        ([left, right]) => `${left ?? '-'}${right ?? '-'}`,
      );
      expect(pairs.join(' ')).to.equal(expected);
    });
  }

  it('reports an item beyond the limit only after a cut list ends (compareItems)', () => {
    const sideOf = (ids: string) => ({
      ...{ items: [...ids].map((id) => ({ id })), truncated: true },
      identify: (item: unknown) => JSON.stringify(item),
    });
    const terms = {
      titles: formTitles,
      row: undefined,
      compare: () => [],
      show: (_side: unknown, item: Json) => item,
    };
    const { blocks, beyondLimit } = compareItems(
      { left: sideOf('ab'), right: sideOf('xabc') },
      terms,
    );
    expect(
      blocks
        .flatMap(({ lines }) => lines)
        .map(({ unexpected, right }) => [unexpected, right?.value]),
    ).to.deep.equal([['Only the variant form has it.', { id: 'x' }]]);
    expect(beyondLimit).to.deep.equal([{ id: 'c' }]);
  });
});
