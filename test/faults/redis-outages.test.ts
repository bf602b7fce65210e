import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/faults/database.ts';
import {
  expectOnlyOutages,
  isOutage,
  isServed,
  isVariantOutage,
} from '../support/faults/quotas.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { countStatuses, startLoad } from '../support/load.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { awayFromMidnight, until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=3';
const current = demoKey('qaCurrent');
const variant = demoKey('qaVariant');

interface Fault {
  readonly name: string;
  /** Resolves to the instants (`performance.now()`) at which Redis stopped. */
  readonly begin: (redis: RedisServer) => Promise<readonly number[]>;
  readonly end: (redis: RedisServer) => unknown;
  /**
   * Why the gateway is not ready while it lasts; without it, requests may be served all the time.
   */
  readonly reason?: string;
}

const flap = async (redis: RedisServer): Promise<readonly number[]> => {
  const stopped: number[] = [];
  for (let times = 0; times < 5; times++) {
    stopped.push(performance.now());
    await redis.kill();
    await wait(600);
    await redis.restart();
    await wait(600);
  }
  return stopped;
};

/**
 * One that answers nothing, one that answers and refuses to write, and one that comes and goes:
 * test/stores has the others.
 */
const faults: readonly Fault[] = [
  {
    name: 'is paused',
    begin: async (redis) => {
      const stopped = performance.now();
      await redis.pause();
      return [stopped];
    },
    end: (redis) => redis.resume(),
    reason: 'no answer',
  },
  {
    name: 'is out of memory',
    begin: async (redis) => {
      await redis.command('CONFIG', 'SET', 'maxmemory', 1);
      return [];
    },
    end: (redis) => redis.command('CONFIG', 'SET', 'maxmemory', 0),
    reason: 'OOM',
  },
  { name: 'flaps', begin: flap, end: () => {} },
];

describe('outages of Redis: the gateway', () => {
  const cleanup = useCleanup(after);
  let redis: RedisServer;
  let gateway: GatewayProcess;
  const get = (key = current) => gateway.get(list, key);
  /** How many requests of the organization Redis has counted today. */
  const countedToday = async () => {
    const stored = await redis.command('HGET', 'quota:organization:org_qa', 'day');
    return Number(String(stored).split(' ')[1]);
  };

  before(async () => {
    // On disk before each reply: a busy disk would make Redis lose what it has answered.
    redis = await cleanup.start(startRedisServer('--appendonly', 'yes', '--appendfsync', 'always'));
    // Longer than by default: no request may fail because the machine is busy.
    const settings = {
      REDIS_URL: redis.url(),
      OPERATIONS_PORT: 'free',
      STORE_TIMEOUT_MS: '1000',
    };
    gateway = await cleanup.start(startGatewayProcess(settings));
  });

  for (const { name, begin, end, reason } of faults) {
    it(`refuses requests and serves none uncounted while Redis ${name}`, async () => {
      await awayFromMidnight(60_000); // counts are compared within one day
      const { ready } = gateway;
      await until('the gateway serves', async () => (await get()).status === 200);
      const countedBefore = await countedToday();
      const load = cleanup.add(
        startLoad(() => get(), 10),
        ({ stop }) => stop(),
      );
      const answered = async (count: number): Promise<void> => {
        const enough = load.samples.length + count;
        await until(`${count} are answered`, () => load.samples.length >= enough);
      };
      await answered(50);
      const stopped = await begin(redis);
      if (reason !== undefined)
        await until('requests are refused', async () => isOutage(await get()));
      const begun = performance.now();
      if (reason !== undefined) {
        expect(isVariantOutage(await get(variant))).to.equal(true);
        expect((await gateway.get('/api/v1/health')).status).to.equal(200);
        await until('it is not ready, and says why', async () => {
          const { status, body } = await ready();
          return status === 503 && JSON.parse(body).parts.quotas.reason.includes(reason);
        });
        await answered(50);
        await load.answered();
      }
      const ended = performance.now();
      await end(redis);
      await until('the gateway serves again', async () => (await get()).status === 200);
      await until('the gateway is ready again', async () => (await ready()).status === 200);
      const recovered = performance.now();
      const probes = 1;
      await answered(100);
      const samples = await load.stop();
      const counted = (await countedToday()) - countedBefore - probes;
      const served = samples.filter(isServed).length;

      expectOnlyOutages(samples);
      const during = samples.filter(
        ({ sentAt, answer }) => sentAt > begun && sentAt + (answer?.ms ?? 0) < ended,
      );
      if (reason !== undefined) expect(during.some(isServed)).to.equal(false);
      const after = samples.filter(({ sentAt }) => sentAt > recovered);
      expect(after.every(isServed), countStatuses(after)).to.equal(true);
      // Redis may have counted what it was asked before it stopped, and its reply was lost: one
      // fsync counts all that is queued, which on a busy disk is a second of requests.
      const unanswered = samples.filter(
        (sample) =>
          !isServed(sample) &&
          stopped.some((at) => sample.sentAt < at && at < sample.sentAt + (sample.answer?.ms ?? 0)),
      );
      expect(counted).to.be.within(served, served + unanswered.length);
    });
  }
});
