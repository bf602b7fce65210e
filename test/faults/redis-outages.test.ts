import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/documents.ts';
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
  readonly begin: (redis: RedisServer) => unknown;
  readonly end: (redis: RedisServer) => unknown;
  /** Why the gateway is not ready while it lasts. */
  readonly reason: string;
  readonly times?: number;
}

/** Redis sends no reply, comes and goes: test/stores has the others. */
const faults: readonly Fault[] = [
  {
    name: 'is paused',
    begin: (redis) => redis.pause(),
    end: (redis) => redis.resume(),
    reason: 'no reply',
  },
  {
    name: 'is killed 3 times',
    begin: (redis) => redis.kill(),
    end: (redis) => redis.restart(),
    reason: 'connection refused',
    times: 3,
  },
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
      STORE_TIMEOUT_MS: '2000',
    };
    gateway = await cleanup.start(startGatewayProcess(settings));
  });

  for (const { name, begin, end, reason, times = 1 } of faults) {
    it(`refuses requests and serves none uncounted while Redis ${name}`, async () => {
      await awayFromMidnight(60_000); // counts are compared within one day
      const { ready } = gateway;
      await until('the gateway serves', async () => (await get()).status === 200);
      const countedBefore = await countedToday();
      const load = await cleanup.start(startLoad(() => get(), 10));
      /** Instants (`performance.now()`) at which Redis stopped or came back. */
      const changed: number[] = [];
      let probes = 0;
      for (let time = 0; time < times; time++) {
        await load.more(50);
        changed.push(performance.now());
        await begin(redis);
        await until('requests are refused', async () => isOutage(await get()));
        const begun = performance.now();
        expect(isVariantOutage(await get(variant))).to.equal(true);
        expect((await gateway.get('/api/v1/health')).status).to.equal(200);
        await until('it is not ready, and says why', async () => {
          const { status, body } = await ready();
          return status === 503 && JSON.parse(body).parts.quotas.reason.includes(reason);
        });
        await load.more(50);
        await load.answered();
        const ended = performance.now();
        changed.push(ended);
        await end(redis);
        await until('the gateway serves again', async () => (await get()).status === 200);
        probes += 1;
        await until('the gateway is ready again', async () => (await ready()).status === 200);
        const recovered = performance.now();
        await load.more(100);
        const during = load.samples.filter(
          ({ sentAt, answer }) => sentAt > begun && sentAt + (answer?.ms ?? 0) < ended,
        );
        expect(during.some(isServed)).to.equal(false);
        const after = load.samples.filter(({ sentAt }) => sentAt > recovered);
        expect(after.every(isServed), countStatuses(after)).to.equal(true);
      }
      const samples = await load.stop();
      const served = samples.filter(isServed).length;
      expectOnlyOutages(samples);
      // Redis may have counted what it was asked before it stopped, or counts it when it comes back
      // before its deadline, and its reply was lost: one fsync counts all that is queued.
      const unanswered = samples.filter(
        (sample) =>
          !isServed(sample) &&
          changed.some((at) => sample.sentAt < at && at < sample.sentAt + (sample.answer?.ms ?? 0)),
      );
      await until('as many are counted as were served, after refunds', async () => {
        const counted = (await countedToday()) - countedBefore - probes;
        return counted >= served && counted <= served + unanswered.length;
      });
    });
  }
});
