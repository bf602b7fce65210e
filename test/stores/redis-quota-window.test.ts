import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { lateError, windowScript } from '../../adapters/stores/redis/window.lua.ts';
import { createCleanup } from '../support/cleanup.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { rejectionOf } from '../support/wait.ts';

// Quota windows last at least a minute. The script takes any length, so these tests use windows of a second, through the
// library as the store uses it. Redis runs on this machine and so shares its clock.
describe('Redis quota script at window boundaries', function () {
  this.timeout(20_000);
  const limit = 10;
  const cleanup = createCleanup();
  let client: Redis;
  let limiter: RateLimiterRedis;

  before(async () => {
    const server = cleanup.add(await startRedisServer(), (started) => started.stop());
    const options = { port: server.port, host: '127.0.0.1', protocol: 2 } as const;
    client = cleanup.add(new Redis(options), (opened) => opened.quit());
    limiter = new RateLimiterRedis({
      storeClient: client,
      keyPrefix: 'quota',
      points: limit,
      duration: 1,
      customIncrTtlLuaScript: windowScript,
    });
  });
  after(() => cleanup.run());

  const inOneSecond = () => ({ customDuration: Date.now() + 1_000 });
  const consume = async (key: string): Promise<RateLimiterRes> => {
    try {
      return await limiter.consume(key, 1, inOneSecond());
    } catch (thrown) {
      if (thrown instanceof RateLimiterRes) return thrown;
      throw thrown;
    }
  };
  /** Waits for the start of a window, and returns its end. */
  const untilWindowBegins = async (): Promise<number> => {
    const { msBeforeNext } = await limiter.penalty('probe', 0, inOneSecond());
    await sleep(msBeforeNext + 5);
    return Math.ceil(Date.now() / 1000) * 1000;
  };

  it('grants exactly the limit in every window under constant load', async () => {
    const granted: number[] = [];
    let calls = 0;
    const end = (await untilWindowBegins()) + 2_500;
    const worker = async (): Promise<void> => {
      while (Date.now() < end) {
        calls += 1;
        const { consumedPoints } = await consume('{organization:a}:second');
        if (consumedPoints <= limit) granted.push(consumedPoints);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(calls).to.be.greaterThan(1_000);
    const oneWindow = Array.from({ length: limit }, (_, index) => index + 1);
    expect(granted).to.deep.equal([1, 2, 3, 4].flatMap(() => oneWindow));
  });

  it('returns the milliseconds to the end of the window, and expires the key there', async () => {
    const end = await untilWindowBegins();
    const { msBeforeNext } = await consume('{organization:b}:second');
    expect(Date.now() + msBeforeNext).to.be.within(end, end + 200);
    expect(await client.pexpiretime('quota:{organization:b}:second')).to.equal(end);
  });

  it('treats a count without an expiry as one of this window, early and late in it', async () => {
    const key = '{organization:e}:second';
    for (const wait of [0, 800]) {
      const end = await untilWindowBegins();
      await sleep(wait);
      await client.set(`quota:${key}`, 4);
      expect((await limiter.penalty(key, 0, inOneSecond())).consumedPoints).to.equal(4);
      expect((await consume(key)).consumedPoints).to.equal(5);
      expect(await client.pexpiretime(`quota:${key}`)).to.equal(end);
    }
  });

  it('refunds within the window only', async () => {
    const key = '{organization:c}:second';
    const end = await untilWindowBegins();
    await consume(key);
    await consume(key);
    await limiter.reward(key, 1, { customDuration: end });
    expect((await limiter.penalty(key, 0, inOneSecond())).consumedPoints).to.equal(1);
    await untilWindowBegins();
    await consume(key);
    await limiter.reward(key, 1, { customDuration: end });
    expect((await limiter.penalty(key, 0, inOneSecond())).consumedPoints).to.equal(1);
  });

  it('receives the deadline through the library to the millisecond', async () => {
    await untilWindowBegins();
    const key = '{organization:d}:second';
    // The script rejects a deadline that has passed, and one too far ahead to be one.
    for (const deadline of [1, Date.now() - 1, Date.now() + 60_000, 8_999_999_999_999]) {
      expect(await rejectionOf(limiter.consume(key, 1, { customDuration: deadline }))).to.match(new RegExp(lateError));
    }
    expect(await client.exists(`quota:${key}`)).to.equal(0);
    const sent: string[] = [];
    const monitor = await client.monitor();
    monitor.on('monitor', (_time: string, args: string[]) => sent.push(args.slice(-4).join(' ')));
    for (const deadline of [1_787_400_000_001, 1_999_999_999_999, 9_007_199_254_740]) {
      await rejectionOf(limiter.consume(key, 1, { customDuration: deadline }));
    }
    await client.ping();
    monitor.disconnect();
    const wanted = [1_787_400_000_001, 1_999_999_999_999, 9_007_199_254_740].map(
      (deadline) => `1 ${deadline} ${limit} 1`,
    );
    expect(sent).to.include.members(wanted);
  });
});
