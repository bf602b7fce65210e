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
import { startGatewayProcess } from '../support/gateway-process.ts';
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
  /** Whether no request can be served while it lasts. */
  readonly isTotal: boolean;
  readonly lastsMs: number;
}

const flap = async ({ redis }: QuotasUnderFault): Promise<void> => {
  for (let times = 0; times < 5; times++) {
    await redis.kill();
    await wait(600);
    await redis.restart();
    await wait(600);
  }
};

const faults: readonly Fault[] = [
  {
    name: 'is down',
    begin: ({ redis }) => redis.kill(),
    end: ({ redis }) => redis.restart(),
    isTotal: true,
    lastsMs: 3_000,
  },
  {
    name: 'is paused',
    begin: ({ redis }) => redis.pause(),
    end: ({ redis }) => redis.resume(),
    isTotal: true,
    lastsMs: 3_000,
  },
  {
    name: 'is behind a network that drops everything',
    begin: ({ proxy }) => proxy.hold(),
    end: ({ proxy }) => proxy.release(),
    isTotal: true,
    lastsMs: 3_000,
  },
  {
    name: 'answers later than a request may wait',
    begin: ({ proxy }) => proxy.delay(300),
    end: ({ proxy }) => proxy.delay(0),
    isTotal: true,
    lastsMs: 2_000,
  },
  {
    name: 'has become a replica',
    begin: ({ redis }) => redis.command('REPLICAOF', '127.0.0.1', 1),
    end: ({ redis }) => redis.command('REPLICAOF', 'NO', 'ONE'),
    isTotal: true,
    lastsMs: 2_000,
  },
  {
    name: 'is out of memory',
    begin: ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory', 1),
    end: ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory', 0),
    isTotal: true,
    lastsMs: 2_000,
  },
  {
    name: 'resets its connections',
    begin: ({ proxy }) => proxy.reset(),
    end: () => {},
    isTotal: false,
    lastsMs: 1_000,
  },
  { name: 'flaps', begin: flap, end: () => {}, isTotal: false, lastsMs: 0 },
];

describe('outages of Redis: the gateway', () => {
  let setup: QuotasUnderFault;
  let load: Load | undefined;
  const get = (key = current) => setup.gateway.get(list, key);

  afterEach(async () => {
    await load?.stop();
    await setup.stop();
  });

  for (const { name, begin, end, isTotal, lastsMs } of faults) {
    it(`refuses requests and serves none uncounted while Redis ${name}`, async () => {
      // Where requests may be served all the time, none may fail because the machine is busy.
      setup = await startQuotasUnderFault(isTotal ? {} : { STORE_TIMEOUT_MS: '1000' });
      await until('the gateway serves', async () => (await get()).status === 200);
      const countedBefore = await setup.countedToday('org_qa');
      load = startLoad(() => get(), 10);
      await wait(1_000);
      const began = performance.now();
      await begin(setup);
      if (isTotal) {
        await wait(lastsMs / 2);
        expect(isOutage(await get())).to.equal(true);
        expect(isVariantOutage(await get(variant))).to.equal(true);
        expect((await setup.gateway.get('/api/v1/health')).status).to.equal(200);
        await wait(lastsMs / 2 - 300);
      } else await wait(lastsMs);
      await end(setup);
      const ended = performance.now();
      await until('the gateway serves again', async () => (await get()).status === 200);
      const probes = 1;
      await wait(2_000);
      const samples = await load.stop();
      const counted = (await setup.countedToday('org_qa')) - countedBefore - probes;
      const served = samples.filter(isServed).length;

      expectOnlyOutages(samples);
      const during = samples.filter(({ sentAt }) => sentAt > began + 600 && sentAt < ended - 600);
      if (isTotal) expect(during.some(isServed)).to.equal(false);
      const after = samples.filter(({ sentAt }) => sentAt > ended + 2_000);
      expect(after.every(isServed), countStatuses(after)).to.equal(true);
      expect(counted).to.be.within(served, served + maxCountedUnserved);
    });
  }
});

describe('Redis down at the start', () => {
  it('refuses requests at once except on /health, and serves once Redis is up', async () => {
    const setup = await startQuotasUnderFault();
    await setup.gateway.stop();
    await setup.redis.kill();
    const gateway = await startGatewayProcess({ REDIS_URL: setup.redis.url() });
    try {
      expect((await gateway.get('/api/v1/health')).status).to.equal(200);
      const refused = await gateway.get(list, current);
      expect(isOutage(refused)).to.equal(true);
      expect(isVariantOutage(await gateway.get(list, variant))).to.equal(true);
      await setup.redis.restart();
      await until('it serves', async () => (await gateway.get(list, current)).status === 200);
    } finally {
      await gateway.stop();
      await setup.stop();
    }
  });
});
