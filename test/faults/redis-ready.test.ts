import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/faults/database.ts';
import { isOutage } from '../support/faults/quotas.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { type RedisServer, startRedisProcess } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

interface Refusal {
  readonly reason: string;
  readonly name: string;
  readonly begin: (redis: RedisServer, dataFolder: string) => Promise<unknown>;
  readonly end: (redis: RedisServer, dataFolder: string) => Promise<unknown>;
}

const refusals: readonly Refusal[] = [
  {
    reason: 'OOM',
    name: 'is out of memory',
    begin: (redis) => redis.command('CONFIG', 'SET', 'maxmemory', 1),
    end: (redis) => redis.command('CONFIG', 'SET', 'maxmemory', 0),
  },
  {
    reason: 'NOREPLICAS',
    name: 'has fewer replicas than it must have',
    begin: (redis) => redis.command('CONFIG', 'SET', 'min-replicas-to-write', 1),
    end: (redis) => redis.command('CONFIG', 'SET', 'min-replicas-to-write', 0),
  },
  {
    reason: 'MISCONF',
    name: 'could not write its last snapshot',
    async begin(redis, dataFolder) {
      await rm(dataFolder, { recursive: true });
      await redis.command('BGSAVE');
      await until('the snapshot has failed', async () =>
        String(await redis.command('INFO', 'persistence')).includes('rdb_last_bgsave_status:err'),
      );
    },
    async end(redis) {
      await redis.command('CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'no');
    },
  },
];

describe('a Redis that answers but refuses writes: the gateway', () => {
  const cleanup = createCleanup();
  let redis: RedisServer;
  let dataFolder: string;
  let gateway: GatewayProcess;
  const get = () => gateway.get('/api/v1/artists?limit=3', demoKey('qaCurrent'));
  const ready = () => gateway.ready();

  before(async () => {
    const port = await freePort();
    const settings = ['--save', '3600 1', '--dir', 'data', '--maxmemory-policy', 'noeviction'];
    redis = await cleanup.start(
      startRedisProcess(port, ['--port', String(port), '--bind', '127.0.0.1', ...settings], async (folder) => {
        dataFolder = join(folder, 'data');
        await mkdir(dataFolder);
      }),
    );
    const own = { REDIS_URL: redis.url(), OPERATIONS_PORT: 'free', STORE_TIMEOUT_MS: '2000' }; // refusals come at once
    gateway = await cleanup.start(startGatewayProcess(own));
    await until('it serves', async () => (await get()).status === 200);
  });
  after(() => cleanup.run());

  for (const { reason, name, begin, end } of refusals) {
    it(`is not ready for ${reason} while Redis ${name}, and is ready afterwards`, async () => {
      await until('it is ready', async () => (await ready()).status === 200);
      await begin(redis, dataFolder);
      expect(isOutage(await get())).to.equal(true);
      const refused = await ready();
      expect(refused.status).to.equal(503);
      expect(JSON.parse(refused.body).parts.quotas).to.include({ ready: false });
      expect(JSON.parse(refused.body).parts.quotas.reason).to.include(reason);
      await end(redis, dataFolder);
      expect((await get()).status).to.equal(200);
      expect((await ready()).status).to.equal(200);
    });
  }

  it('refunds the unit of its check, whose count expires', async () => {
    const count = 'quota:{probe:readiness}:minute';
    await ready();
    // The check that runs every second may be between its two steps.
    await until('the unit is refunded', async () => (await redis.command('GET', count)) === '0');
    expect(await redis.command('PTTL', count)).to.be.within(1, 60_000);
  });
});
