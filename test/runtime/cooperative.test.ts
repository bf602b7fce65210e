import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { forEachInTurns, sortInTurns } from '../../src/runtime/cooperative.ts';
import { countTurns } from '../support/wait.ts';

describe('sortInTurns', () => {
  it('sorts like `toSorted`, stably and in several turns', async () => {
    const compare = (left: { key: number }, right: { key: number }): number => left.key - right.key;
    const orders: readonly ((index: number) => number)[] = [
      (index) => (index * 7_919) % 1_000,
      (index) => index,
      (index) => -index,
      () => 0,
    ];
    for (const keyOf of orders)
      for (const length of [0, 1, 999, 1_000, 1_001, 5_001]) {
        const items = Array.from({ length }, (_, index) => ({ index, key: keyOf(index) }));
        expect(await sortInTurns(items, compare)).to.deep.equal(items.toSorted(compare));
      }
    let [compared, most] = [0, 0];
    const sorting = sortInTurns(
      Array.from({ length: 20_000 }, (_, index) => (index * 7_919) % 20_011),
      (left, right) => {
        compared += 1;
        return left - right;
      },
    );
    for (let isOver = false; !isOver; compared = 0) {
      most = Math.max(most, compared);
      isOver = await Promise.race([sorting.then(() => true), setImmediate(false)]);
    }
    // 20,000 items take 260,000 comparisons at once
    expect(most).to.be.lessThan(60_000);
  });
});

describe('forEachInTurns', () => {
  it('visits items in order, and gives every long item its own turn', async () => {
    const seen: [item: string, index: number][] = [];
    const turns = await countTurns(async () => {
      const visiting = forEachInTurns('abcde', (...visited) => seen.push(visited), 1);
      expect(seen, 'the first at once').to.deep.equal([['a', 0]]);
      await visiting;
    });
    expect(turns).to.be.at.least(5);
    expect(seen).to.deep.equal([...'abcde'].map((item, index) => [item, index]));
  });

  it('does not leave the turn within a step', async () => {
    let visited = 0;
    const visiting = forEachInTurns(Array(500), () => {
      visited += 1;
    });
    expect(visited).to.equal(500);
    await visiting;
  });

  it('rejects with what a visit throws, and visits no more', async () => {
    const failure = new Error('a visit failed');
    const seen: number[] = [];
    const visiting = forEachInTurns([1, 2, 3], (item) => {
      seen.push(item);
      if (item === 2) throw failure;
    });
    expect(await visiting.catch((cause: unknown) => cause)).to.equal(failure);
    expect(seen).to.deep.equal([1, 2]);
  });
});
