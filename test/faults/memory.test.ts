import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { detail, list } from '../../adapters/forms/envelope.ts';
import { gzipBody, plainBody } from '../../adapters/rendering/body.ts';
import { createRenderer } from '../../adapters/rendering/render.ts';
import { systemClock } from '../../src/runtime/clock.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const mebibyte = 2 ** 20;

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

describe('caches in memory', () => {
  const reader = { organizationId: 'org_one', isGone: () => false };
  const openRenderer = (maxMiB: number) =>
    createRenderer({ maxBytes: maxMiB * mebibyte, incompleteMs: 15_000, clock: systemClock() });

  it('keep 15,000 small compressed lists within their bound', async () => {
    const maxMiB = 4;
    const render = openRenderer(maxMiB);
    const present = (item: { id: number }) => item;
    const lists = Array.from({ length: 15_000 }, (_, id) => list([{ id }], present));
    const askAll = (compressed: boolean) =>
      inBatches(15_000, 200, async (id) => {
        const rendered = await render({ data: lists[id] }, reader);
        await (compressed ? gzipBody(rendered) : plainBody(rendered));
      });
    await askAll(false); // what belongs to the items
    const before = await usedMiB();
    await askAll(true);
    const used = (await usedMiB()) - before;
    expect(used).to.be.within(0.5, maxMiB + 1); // garbage of earlier tests may be freed too
    expect(lists).to.have.length(15_000);
  });

  it('free the bytes of unused lists while their first item is in use', async () => {
    const render = openRenderer(64);
    const first = { name: 'first' };
    const present = (item: { name: string }) => item;
    const before = await usedMiB();
    for (let id = 0; id < 40; id++) {
      const given = [first, { name: randomBytes(mebibyte / 2).toString('hex') }];
      await gzipBody(await render({ data: list(given, present) }, reader));
    }
    expect((await usedMiB()) - before).to.be.below(4);
    const [, text] = (await render({ data: list([first], present) }, reader)).parts;
    expect(text?.length).to.equal('{"name":"first"}'.length);
  });

  it('keep 300 artists that change 20 times within their bound', async () => {
    const maxMiB = 4;
    const render = openRenderer(maxMiB);
    const history = { more: 'history '.repeat(2_000), complete: true };
    const present = (item: { id: number }, { more }: typeof history) => ({ ...item, more });
    const presentList = (item: { id: number }) => item;
    const change = async (): Promise<object[]> => {
      const artists = Array.from({ length: 300 }, (_, id) => ({ id }));
      await inBatches(300, 20, async (index) => {
        const item = artists[index] ?? { id: -1 };
        const data = detail({ item, load: async () => history }, present);
        // from the second time on the plain text is kept too
        for (let times = 0; times < 3; times++) plainBody(await render({ data }, reader));
        await gzipBody(await render({ data: list([item], presentList) }, reader));
      });
      return artists;
    };
    const before = await usedMiB();
    let artists: object[] = [];
    for (let round = 0; round < 20; round++) artists = await change();
    expect((await usedMiB()) - before).to.be.below(maxMiB + 2);
    expect(artists).to.have.length(300);
  });
});
