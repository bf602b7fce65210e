import { expect } from 'chai';
import { fixedClock, systemClock } from '../../src/runtime/clock.ts';
import { until } from '../support/wait.ts';

describe('clocks', () => {
  it('read the time of the machine', () => {
    const before = Date.now();
    const now = systemClock().now();
    expect(now).to.be.within(before, Date.now());
  });

  it('keep now() and advance elapsed() when fixed', async () => {
    const clock = fixedClock(1_234);
    const startedAt = clock.elapsed();
    await until('time passes', () => clock.elapsed() > startedAt);
    expect(clock.now()).to.equal(1_234);
  });
});
