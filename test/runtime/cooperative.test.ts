import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { forEachConcurrent } from '../../src/runtime/cooperative.ts';

const items = [1, 2, 3, 4, 5, 6, 7];

describe('forEachConcurrent', () => {
  it('handles every item once, and at most the given number at a time', async () => {
    const done: number[] = [];
    let running = 0;
    let maxRunning = 0;
    await forEachConcurrent(items, 3, async (item) => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await setImmediate();
      running -= 1;
      done.push(item);
    });
    expect(done).to.have.members(items);
    expect(maxRunning).to.equal(3);
  });

  it('resolves for an empty list', async () => {
    const done: number[] = [];
    await forEachConcurrent<number>([], 3, async (item) => void done.push(item));
    expect(done).to.deep.equal([]);
  });

  it('rejects with the first failure and starts no further item', async () => {
    const started: number[] = [];
    const failure = new Error('the second failed');
    const all = forEachConcurrent(items, 2, async (item) => {
      started.push(item);
      await setImmediate();
      if (item === 2) throw failure;
    });
    expect(await all.catch((cause: unknown) => cause)).to.equal(failure);
    await setImmediate();
    await setImmediate();
    expect(started).to.deep.equal([1, 2, 3]);
  });
});
