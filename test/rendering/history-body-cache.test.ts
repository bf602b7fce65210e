import { expect } from 'chai';
import { createHistoryBodyCache } from '../../adapters/rendering/history-body-cache.ts';
import { catchError } from '../support/catch-error.ts';

interface Item {
  readonly id: string;
}

const show = (item: Item, more: string) => ({ id: item.id, more });

/** Things to be read, and how often each was. */
const createShelf = (length = 10) => {
  const reads: string[] = [];
  const reading = (item: Item) => ({
    item,
    read: async () => {
      reads.push(item.id);
      return item.id.repeat(length);
    },
  });
  return { reads, reading };
};

describe('kept readings', () => {
  it('are read once for all who ask at the same time, and not again while the item is the same', async () => {
    const { reads, reading } = createShelf();
    const readings = createHistoryBodyCache();
    const item = { id: 'a' };
    const [first, second] = await Promise.all([readings(reading(item), show), readings(reading(item), show)]);
    const third = await readings(reading(item), show);
    for (const text of [first, second, third]) {
      expect(Buffer.concat(text.chunks()).toString()).to.equal('{"id":"a","more":"aaaaaaaaaa"}');
      expect(text.length).to.equal(30);
    }
    expect(reads).to.deep.equal(['a']);
    await readings(reading({ id: 'a' }), show);
    expect(reads).to.deep.equal(['a', 'a']);
  });

  it('are kept for each presenter', async () => {
    const { reading } = createShelf();
    const readings = createHistoryBodyCache();
    const item = { id: 'a' };
    await readings(reading(item), show);
    const other = await readings(reading(item), ({ id }) => ({ other: id }));
    expect(Buffer.concat(other.chunks()).toString()).to.equal('{"other":"a"}');
  });

  it('are asked for again when they could not be read', async () => {
    const readings = createHistoryBodyCache();
    const item = { id: 'a' };
    const down = new Error('down');
    expect(await catchError(() => readings({ item, read: () => Promise.reject(down) }, show))).to.equal(down);
    const text = await readings({ item, read: async () => 'up' }, show);
    expect(Buffer.concat(text.chunks()).toString()).to.equal('{"id":"a","more":"up"}');
  });

  it('are the same text however long ago they were sent, deflated or not', async () => {
    const { reads, reading } = createShelf(300_000);
    const readings = createHistoryBodyCache();
    const items = Array.from({ length: 40 }, (_, place) => ({ id: String.fromCharCode(97 + (place % 26)) }));
    for (const item of items) await readings(reading(item), show);
    for (const item of items) {
      const text = await readings(reading(item), show);
      const whole = JSON.stringify(show(item, item.id.repeat(300_000)));
      expect(Buffer.concat(text.chunks()).equals(Buffer.from(whole))).to.equal(true);
      expect(text.deflated()?.length).to.equal(whole.length);
    }
    expect(reads).to.have.length(items.length);
  });
});
