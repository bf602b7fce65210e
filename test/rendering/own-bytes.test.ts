import { expect } from 'chai';
import { detail, list, ownList } from '../../adapters/forms/envelope.ts';
import { createBodyCache } from '../../adapters/rendering/body-cache.ts';
import { createBodyStore } from '../../adapters/rendering/body-store.ts';
import { deflateSegment, inflateSegment } from '../../adapters/rendering/gzip/deflated-segment.ts';
import { pinnedBytes, textBytes, toOwnBytes } from '../../adapters/rendering/own-bytes.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { entryBytes } from '../../src/runtime/memo.ts';
import { createMemoryLog } from '../support/log.ts';
import { until } from '../support/wait.ts';

const log = createMemoryLog();
const same = <Item>(item: Item) => item;

/** The spare bytes in the block of each buffer. */
const spare = (buffers: readonly Buffer[]): number[] => buffers.map((bytes) => pinnedBytes(bytes) - bytes.length);

describe('cached bytes', () => {
  for (const length of [0, 1, 24, 1_000, 4_000, 60_000]) {
    it(`of ${length} bytes have a block of their own, plain, deflated and inflated`, async () => {
      const text = textBytes('x'.repeat(length));
      const segment = await deflateSegment(text);
      expect(spare([text, segment.blocks])).to.deep.equal([0, 0]);
      const inflated = inflateSegment(segment);
      expect(inflated.equals(text)).to.equal(true);
      expect(spare([inflated])[0]).to.be.at.most(length / 8);
    });
  }

  it('are copied out of a larger block, and not out of one that fits', () => {
    const block = Buffer.alloc(16_384, 'x');
    const small = toOwnBytes(block.subarray(100, 124));
    expect([small.toString(), pinnedBytes(small)]).to.deep.equal(['x'.repeat(24), 24]);
    const nearlyAll = block.subarray(0, 16_000);
    expect(toOwnBytes(nearlyAll)).to.equal(nearlyAll);
  });

  it('are counted as what they keep in memory', async () => {
    const store = createBodyStore({ maxBytes: 1_000_000, log });
    const texts = [1, 30, 500, 9_000].map((length) => textBytes('x'.repeat(length)));
    const segments = await Promise.all(texts.map(deflateSegment));
    for (const [id, text] of texts.entries()) store.plainLists.set(id, text);
    for (const [id, segment] of segments.entries()) store.segments.set(id, segment);
    const real = (buffers: readonly Buffer[]) =>
      buffers.reduce((sum, { buffer }) => sum + buffer.byteLength + entryBytes, 0);
    expect(store.plainLists.bytes()).to.equal(real(texts));
    expect(store.segments.bytes()).to.equal(real(segments.map(({ blocks }) => blocks)));
  });

  it('of small lists and details have blocks of their own', async () => {
    const bodies = createBodyCache({ maxBytes: 1_000_000, clock: systemClock(), log });
    const items = [{ name: 'a' }, { name: 'b' }];
    const shared = bodies.list(list(items, same));
    for (let sends = 0; sends < 17; sends++) shared.chunks(); // the 17th joins them
    const own = bodies.list(ownList([{ name: 'c' }], same));
    const small = await bodies.detail(
      detail({ item: { name: 'd' }, load: async () => 1 }, (item, more) => ({ item, more })),
    );
    expect(spare([shared, own, small].flatMap((body) => [...body.chunks()]))).to.deep.equal([0, 0, 0]);
    await until('both lists are deflated', () => shared.deflated() !== undefined && own.deflated() !== undefined);
    const blocks = [shared, own, small].map((body) => body.deflated()?.blocks ?? Buffer.from('missing'));
    expect(spare(blocks)).to.deep.equal([0, 0, 0]);
  });
});
