import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { quotaCheck } from '../../src/quota/health-check.ts';
import { windowEnd } from '../../src/quota/quota.ts';
import { createManualClock } from '../support/clock.ts';
import { deadQuotas } from '../support/forms/problem-cases.ts';

describe('quota', () => {
  for (const [window, instant, end] of [
    ['minute', '2026-08-22T12:00:00.000Z', '2026-08-22T12:01:00.000Z'],
    ['minute', '2026-08-22T12:00:59.999Z', '2026-08-22T12:01:00.000Z'],
    ['hour', '2026-08-22T12:59:59.999Z', '2026-08-22T13:00:00.000Z'],
    ['day', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
  ] as const) {
    it(`has the end ${end} for the ${window} of ${instant}`, () => {
      expect(windowEnd(window, Date.parse(instant))).to.equal(Date.parse(end));
    });
  }
});

describe('health check of quotas', () => {
  const clock = createManualClock();

  it('consumes one unit and refunds it', async () => {
    const inner = createEmbeddedQuotas(clock);
    const used: number[] = [];
    const store: QuotaStore = {
      ...inner,
      async refund(allowance, status, deadline) {
        used.push((await inner.read(allowance, deadline)).used);
        await inner.refund(allowance, status, deadline);
        used.push((await inner.read(allowance, deadline)).used);
      },
    };
    expect(await quotaCheck(store, clock, 250).check()).to.equal(undefined);
    expect(used).to.deep.equal([1, 0]);
  });

  it('says why the store fails', async () => {
    expect(await quotaCheck(deadQuotas, clock, 250).check()).to.equal('store is down');
  });
});
