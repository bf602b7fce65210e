import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { demoKey } from '../support/faults/database.ts';
import {
  expectOnlyOutages,
  isOutage,
  isServed,
  isVariantOutage,
  type QuotasUnderFault,
  startQuotasUnderFault,
} from '../support/faults/quotas.ts';
import { countStatuses, type Load, startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=3';
const current = demoKey('qaCurrent');
const variant = demoKey('qaVariant');

/** Maximum number of requests that Redis may count although the gateway refused them: its replies came too late. */
const maxCountedUnserved = 5;

interface Fault {
  readonly name: string;
  readonly begin: (setup: QuotasUnderFault) => unknown;
  readonly end: (setup: QuotasUnderFault) => unknown;
  /** Why the gateway is not ready while it lasts; without it, requests may be served all the time. */
  readonly reason?: string;
}

const flap = async ({ redis }: QuotasUnderFault): Promise<void> => {
  for (let times = 0; times < 5; times++) {
    await redis.kill();
    await wait(600);
    await redis.restart();
    await wait(600);
  }
};

/** One that answers nothing, one that answers and refuses to write, and one that comes and goes: test/stores has the others. */
const faults: readonly Fault[] = [
  {
    name: 'is paused',
    begin: ({ redis }) => redis.pause(),
    end: ({ redis }) => redis.resume(),
    reason: 'no answer',
  },
  {
    name: 'is out of memory',
    begin: ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory', 1),
    end: ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory', 0),
    reason: 'OOM',
  },
  { name: 'flaps', begin: flap, end: () => {} },
];

describe('outages of Redis: the gateway', () => {
  let setup: QuotasUnderFault;
  let load: Load | undefined;
  const get = (key = current) => setup.gateway.get(list, key);

  afterEach(async () => {
    await load?.stop();
    await setup.stop();
  });

  for (const { name, begin, end, reason } of faults) {
    it(`refuses requests and serves none uncounted while Redis ${name}`, async () => {
      // Where requests may be served all the time, none may fail because the machine is busy.
      setup = await startQuotasUnderFault({
        OPERATIONS_PORT: 'free',
        ...(reason === undefined && { STORE_TIMEOUT_MS: '1000' }),
      });
      const { ready } = setup.gateway;
      await until('the gateway serves', async () => (await get()).status === 200);
      const countedBefore = await setup.countedToday('org_qa');
      load = startLoad(() => get(), 10);
      await wait(1_000);
      const began = performance.now();
      await begin(setup);
      if (reason !== undefined) {
        await wait(1_500);
        expect(isOutage(await get())).to.equal(true);
        expect(isVariantOutage(await get(variant))).to.equal(true);
        expect((await setup.gateway.get('/api/v1/health')).status).to.equal(200);
        const refused = await ready();
        expect(refused.status).to.equal(503);
        expect(JSON.parse(refused.body).parts.quotas.reason).to.include(reason);
        await wait(1_200);
      }
      await end(setup);
      const ended = performance.now();
      await until('the gateway serves again', async () => (await get()).status === 200);
      await until('the gateway is ready again', async () => (await ready()).status === 200);
      const probes = 1;
      await wait(2_000);
      const samples = await load.stop();
      const counted = (await setup.countedToday('org_qa')) - countedBefore - probes;
      const served = samples.filter(isServed).length;

      expectOnlyOutages(samples);
      const during = samples.filter(({ sentAt }) => sentAt > began + 600 && sentAt < ended - 600);
      if (reason !== undefined) expect(during.some(isServed)).to.equal(false);
      const after = samples.filter(({ sentAt }) => sentAt > ended + 2_000);
      expect(after.every(isServed), countStatuses(after)).to.equal(true);
      expect(counted).to.be.within(served, served + maxCountedUnserved);
    });
  }
});
