import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Cleanup, createCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/faults/database.ts';
import { isOutage } from '../support/faults/quotas.ts';
import { createClient, type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
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
  const cleanup: Cleanup = createCleanup();
  let redis: RedisServer;
  let dataFolder: string;
  let gateway: GatewayProcess;
  let readyUrl: string;
  const client = createClient();
  const get = () => gateway.get('/api/v1/artists?limit=3', demoKey('qaCurrent'));
  const ready = () => client.get(readyUrl);

  before(async () => {
    const [port, operationsPort] = [await freePort(), await freePort()];
    const settings = ['--save', '3600 1', '--dir', 'data', '--maxmemory-policy', 'noeviction'];
    redis = cleanup.add(
      await startRedisProcess(port, ['--port', String(port), '--bind', '127.0.0.1', ...settings], async (folder) => {
        dataFolder = join(folder, 'data');
        await mkdir(dataFolder);
      }),
      (started) => started.stop(),
    );
    gateway = cleanup.add(
      await startGatewayProcess({ REDIS_URL: redis.url(), OPERATIONS_PORT: String(operationsPort) }),
      (started) => started.stop(),
    );
    readyUrl = `http://127.0.0.1:${operationsPort}/ready`;
    await until('it serves', async () => (await get()).status === 200);
  });
  after(async () => {
    client.end();
    await cleanup.run();
  });

  for (const { reason, name, begin, end } of refusals) {
    it(`is not ready while Redis ${name}, names ${reason}, and is ready afterwards`, async function () {
      this.timeout(20_000);
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

  it('checks with a count of its own, which it gives back and which expires', async () => {
    const count = 'quota:{probe:readiness}:minute';
    await ready();
    // The check that runs every second may be between its two steps.
    await until('the unit is refunded', async () => (await redis.command('GET', count)) === '0');
    expect(await redis.command('PTTL', count)).to.be.within(1, 60_000);
  });
});
