import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { createManualClock } from '../support/clock.ts';
import { openReadyRedisQuotas } from '../support/redis-quotas.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { consumeOne } from '../support/stores/consume-one.ts';
import { describeQuotaStore } from './quotas.conformance.ts';

describeQuotaStore('embedded', async () => {
  const clock = systemClock();
  return { quotas: createEmbeddedQuotas(clock), clock, close: async () => {} };
});

describeQuotaStore('Redis', async () => {
  const server = await startRedisServer();
  const { quotas, clock } = await openReadyRedisQuotas(server.url());
  return {
    quotas,
    clock,
    async close() {
      await quotas.close();
      await server.stop();
    },
  };
});

describe('embedded quotas', () => {
  it('restart at the boundary of the clock', async () => {
    const clock = createManualClock('2026-08-22T11:59:59.000Z');
    const quotas = createEmbeddedQuotas(clock);
    const allowance = { subject: 'organization:a', window: 'hour', limit: 1 } as const;
    const charged = await consumeOne(quotas, allowance, 2_000);
    expect(charged).to.include({ granted: true, endsAt: Date.parse('2026-08-22T12:00:00Z'), msLeft: 1_000 });
    clock.advance(999);
    expect((await consumeOne(quotas, allowance, 2_000)).granted).to.equal(false);
    clock.advance(1);
    await quotas.refund(allowance, charged, 2_000);
    expect(await consumeOne(quotas, allowance, 2_000)).to.include({ granted: true, used: 1 });
    expect((await consumeOne(quotas, allowance, 2_000)).granted).to.equal(false);
  });
});
