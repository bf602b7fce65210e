import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { quotaCheck } from '../../src/quota/health-check.ts';
import { createManualClock } from '../support/clock.ts';
import { deadQuotas } from '../support/forms/dead-stores.ts';

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
