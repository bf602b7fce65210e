import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { runYielding, sortYielding } from '../../src/runtime/cooperative.ts';

describe('sortYielding', () => {
  it('sorts like the language, keeping the order of equal items, in steps of at most 2,000', () => {
    const numbers = Array.from({ length: 5_001 }, (_, index) => ({
      index,
      key: (index * 7_919) % 1_000,
    }));
    const compare = (left: { key: number }, right: { key: number }): number => left.key - right.key;
    for (const length of [0, 1, 2_000, 2_001, 5_001]) {
      const steps = sortYielding(numbers.slice(0, length), compare);
      let step = steps.next();
      for (let count = 0; count < length / 2_000; count++) {
        expect(step.done).to.equal(false);
        step = steps.next();
      }
      while (step.done !== true) step = steps.next();
      expect(step.value).to.deep.equal(numbers.slice(0, length).sort(compare));
    }
  });
});

describe('runYielding', () => {
  /** A step that takes longer than a turn of the event loop may. */
  const block = (): void => {
    for (const begin = performance.now(); performance.now() < begin + 2; );
  };

  it('gives every long step a turn of its own, and resolves to the value', async () => {
    const seen: number[] = [];
    let turn = 0;
    const steps = (function* () {
      for (let step = 0; step < 5; step++) {
        block();
        seen.push(turn);
        yield;
      }
      return 'done';
    })();
    const running = runYielding(steps);
    for (; turn < 20; turn++) await setImmediate();
    expect(await running).to.equal('done');
    // the first runs at once, before any turn is counted
    expect(seen).to.deep.equal([0, 0, 1, 2, 3]);
  });

  it('rejects with what a step throws', async () => {
    const failure = new Error('a step failed');
    const steps = (function* () {
      yield;
      throw failure;
    })();
    expect(await runYielding(steps).catch((cause: unknown) => cause)).to.equal(failure);
  });
});
