import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { fixedClock, systemClock } from '../../src/runtime/clock.ts';

describe('clock', () => {
  it('tells the time of the machine', () => {
    const before = Date.now();
    const now = systemClock().now();
    expect(now).to.be.within(before, Date.now());
  });

  it('stands at one instant and still lets time pass, when it is fixed', async () => {
    const clock = fixedClock(1_234);
    const began = clock.elapsed();
    await sleep(5);
    expect(clock.now()).to.equal(1_234);
    expect(clock.elapsed()).to.be.greaterThan(began);
  });
});
