import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { openReadyRedisQuotas } from '../support/redis-quotas.ts';
import { startRedisServer } from '../support/redis-server.ts';
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
