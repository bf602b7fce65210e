import { expect } from 'chai';
import { createBodyCache } from '../../adapters/rendering/body-cache.ts';
import { createMemoryLog } from '../support/log.ts';

const items = (...names: readonly string[]) => names.map((name) => ({ name }));
const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString();

describe('kept lists', () => {
  it('are the JSON of their items, with commas between them', () => {
    const { list } = createBodyCache(createMemoryLog());
    for (const given of [items(), items('a'), items('ä', 'b', '星')]) {
      const text = list(given, (item) => item);
      expect(`[${textOf(text.chunks())}]`).to.equal(JSON.stringify(given));
      expect(text.length).to.equal(Buffer.byteLength(JSON.stringify(given)) - 2);
    }
  });

  it('say the same however often they are asked for, at first in pieces and then in one', () => {
    const given = items('a', 'b', 'c');
    const { chunks } = createBodyCache(createMemoryLog()).list(given, (item) => item);
    const asked = [chunks(), chunks(), chunks()];
    expect(asked.map(({ length }) => length)).to.deep.equal([3, 1, 1]);
    expect(new Set(asked.map(textOf))).to.have.lengthOf(1);
  });

  it('keep each text in bytes of its own, so that one that goes leaves nothing behind', () => {
    const { list } = createBodyCache(createMemoryLog());
    const [first, second] = list(items('ä', 'b', 'c'), (item) => item).chunks();
    expect(first?.buffer.byteLength).to.equal(first?.length);
    expect(second?.buffer).not.to.equal(first?.buffer);
  });

  it('write an item down once for each presenter, whatever lists it is in', () => {
    const { list } = createBodyCache(createMemoryLog());
    const [first, second, third] = items('a', 'b', 'c');
    if (first === undefined || second === undefined || third === undefined) throw new Error('three items were made');
    const shown: string[] = [];
    const show = (item: { name: string }) => {
      shown.push(item.name);
      return item;
    };
    list([first, second], show);
    list([second, third], show);
    list([first], (item) => ({ other: item.name }));
    expect(shown).to.deep.equal(['a', 'b', 'c']);
  });
});
