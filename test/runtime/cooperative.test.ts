import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { forEachConcurrent } from '../../src/runtime/cooperative.ts';

const items = [1, 2, 3, 4, 5, 6, 7];

describe('work abreast', () => {
  it('is done once for every item, and never for more at a time than was said', async () => {
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await forEachConcurrent(items, 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      running -= 1;
      done.push(item);
    });
    expect(done).to.have.members(items);
    expect(most).to.equal(3);
  });

  it('is over at once when there is nothing to do', async () => {
    const done: number[] = [];
    await forEachConcurrent<number>([], 3, async (item) => void done.push(item));
    expect(done).to.deep.equal([]);
  });

  it('rejects with the first failure, and begins nothing more', async () => {
    const begun: number[] = [];
    const failure = new Error('the second failed');
    const all = forEachConcurrent(items, 2, async (item) => {
      begun.push(item);
      await setImmediate();
      if (item === 2) throw failure;
    });
    expect(await all.catch((cause: unknown) => cause)).to.equal(failure);
    await setImmediate();
    await setImmediate();
    expect(begun).to.deep.equal([1, 2, 3]);
  });
});
