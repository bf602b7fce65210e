import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { detail, list } from '../../adapters/forms/envelope.ts';
import { createBodyCache } from '../../adapters/rendering/body-cache.ts';
import { createBodyStore } from '../../adapters/rendering/body-store.ts';
import { toOwnBytes } from '../../adapters/rendering/gzip/deflated-segment.ts';
import { createSpikeFinder } from '../../src/catalogue/spikes.ts';
import { addDays } from '../../src/domain/day.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { buildArtist, buildListedArtist, buildPoint, buildSeries } from '../support/builders.ts';
import { createMemoryLog } from '../support/log.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const mebibyte = 2 ** 20;
const log = createMemoryLog();

/** Objects and buffers in use, in MiB, with garbage collected and what depends on it dropped. */
const usedMiB = async (): Promise<number> => {
  for (let turn = 0; turn < 4; turn++) {
    collectGarbage();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / mebibyte;
};

/** Runs work in batches, so that no more than `size` are waiting at the same time. */
const inBatches = async (
  count: number,
  size: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> => {
  for (let from = 0; from < count; from += size)
    await Promise.all(
      Array.from({ length: Math.min(size, count - from) }, (_, index) => work(from + index)),
    );
};

describe('memory of the caches', () => {
  it('holds 30,000 small lists, plain and deflated, within its bound', async () => {
    const maxMiB = 4;
    const store = createBodyStore(maxMiB * mebibyte, log);
    const keys = Array.from({ length: 30_000 }, () => ({})); // somebody holds all of these lists
    const before = await usedMiB();
    await inBatches(30_000, 200, async (id) => {
      const key = keys[id] ?? {};
      const text = toOwnBytes(Buffer.from(`{"id":${id}}`));
      store.keepText(key, text);
      await store.deflate(key, () => text);
    });
    const used = (await usedMiB()) - before;
    expect(keys.filter((key) => store.text(key) !== undefined)).to.not.be.empty;
    expect(used).to.be.within(0.5, maxMiB + 1); // garbage of earlier tests may be freed meanwhile
  });

  it('frees the bytes of lists that nobody holds, long before its bound, while their first item lives', async () => {
    const bodies = createBodyCache({
      maxBytes: 64 * mebibyte,
      incompleteMs: 15_000,
      clock: systemClock(),
      log,
    });
    const first = { name: 'first' };
    const present = (item: { name: string }) => item;
    const before = await usedMiB();
    for (let id = 0; id < 40; id++) {
      const body = bodies.list(list([first, { name: String(id).padEnd(mebibyte, 'x') }], present));
      // the last time they are kept in one piece
      for (let times = 0; times < 64; times++) body.chunks();
    }
    expect((await usedMiB()) - before).to.be.below(4);
    expect(bodies.list(list([first], present)).length).to.equal(16);
  });

  it('holds what is stored of 300 artists that change 40 times within its bound', async () => {
    const maxMiB = 4;
    const bodies = createBodyCache({
      maxBytes: maxMiB * mebibyte,
      incompleteMs: 15_000,
      clock: systemClock(),
      log,
    });
    const history = { more: 'history '.repeat(2_000), complete: true };
    const present = (item: { id: number }, { more }: typeof history) => ({ ...item, more });
    const presentList = (item: { id: number }) => item;
    const change = async (): Promise<object[]> => {
      const artists = Array.from({ length: 300 }, (_, id) => ({ id }));
      await inBatches(300, 20, async (index) => {
        const item = artists[index] ?? { id: -1 };
        const body = await bodies.detail(detail({ item, load: async () => history }, present));
        for (let times = 0; times < 2; times++) body.chunks(); // the second time it is kept
        bodies.list(list([item], presentList)).deflated();
      });
      return artists;
    };
    const before = await usedMiB();
    let artists: object[] = [];
    for (let round = 0; round < 40; round++) artists = await change();
    expect((await usedMiB()) - before).to.be.below(maxMiB + 2);
    expect(artists).to.have.length(300);
  });

  it('keeps at most eight lists of spikes of a shortlist', async () => {
    const today = '2026-08-22';
    const points = Array.from({ length: 35 }, (_, ago) =>
      buildPoint(addDays(today, ago - 34), 1_000 * 1.3 ** ago),
    );
    const artists = Array.from({ length: 2_000 }, (_, index) =>
      buildListedArtist(buildArtist({ id: `art_${index}`, name: `Artist ${index}` }), [
        buildSeries({ points }),
      ]),
    );
    const finder = createSpikeFinder({ floor: 1, thresholdPercent: 1 });
    const before = await usedMiB();
    for (let days = 1; days <= 30; days++) {
      expect((await finder(artists, days, today)).spikes).to.have.length(2_000);
    }
    expect((await usedMiB()) - before).to.be.below(8); // 4 in eight lists, 15 in thirty
    const { spikes } = await finder(artists, 30, today);
    expect((await finder(artists, 30, today)).spikes).to.equal(spikes);
  });
});
