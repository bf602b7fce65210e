import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Clock } from '../../src/ports.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { useCleanup } from '../support/cleanup.ts';
import {
  inTwoSeconds,
  openTestRedisQuotas,
  type TestRedisQuotas,
  untilQuotasAnswer,
} from '../support/redis-quotas.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { consumeOne } from '../support/stores/consume-one.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { rejectionOf, settlesWithin, until } from '../support/wait.ts';

const timeoutMs = 250;
/** When a call must have rejected, in milliseconds. */
const latestMs = timeoutMs + 150;

const lost = 'error: Redis unreachable, refusing requests with 503 (retrying)';
const back = 'info: Redis reachable';

describe('Redis quotas in an outage', () => {
  const clock = systemClock();
  let server: RedisServer;
  let opened: TestRedisQuotas;
  let subjects = 0;

  const allow = (limit = 1_000) => {
    subjects += 1;
    return { subject: `organization:${subjects}`, window: 'day', limit } as const;
  };
  type Day = ReturnType<typeof allow>;
  const consume = ({ quotas }: TestRedisQuotas, allowance: Day) =>
    consumeOne(quotas, allowance, clock.elapsed() + timeoutMs);
  const usedOf = async ({ quotas }: TestRedisQuotas, allowance: Day) =>
    (await quotas.read(allowance, inTwoSeconds(clock))).used;
  /** The reason of a call that must reject before a timer of `ms` ends. */
  const rejectionWithin = async (ms: number, by: TestRedisQuotas, allowance: Day) => {
    const reason = rejectionOf(consume(by, allowance));
    expect(await settlesWithin(ms, reason), `rejects within ${ms} ms`).to.equal(true);
    return reason;
  };
  /** Calls repeatedly for `forMs`, and asserts that every call rejects within the timeout. */
  const expectOutage = async (by: TestRedisQuotas, allowance: Day, forMs: number) => {
    const end = clock.elapsed() + forMs;
    while (clock.elapsed() < end) {
      await rejectionWithin(latestMs, by, allowance);
      await sleep(5); // lets other events run: a rejection may be immediate
    }
  };
  const events = ({ log }: TestRedisQuotas) =>
    log.entries.map(({ level, event }) => `${level}: ${event}`);

  const cleanup = useCleanup(afterEach);
  const open = async (url = server.url(), by: Clock = clock) =>
    cleanup.add(openTestRedisQuotas(url, by), ({ quotas }) => quotas.close());
  const openReady = async (url = server.url(), by: Clock = clock) => {
    const ready = await open(url, by);
    await untilQuotasAnswer(ready.quotas, by);
    return ready;
  };

  beforeEach(async () => {
    server = await cleanup.start(startRedisServer());
    opened = await openReady();
  });

  it('reject at once before Redis was ever reachable, and work once it is', async () => {
    await server.kill();
    const early = await open();
    for (let times = 0; times < 20; times += 1) await rejectionWithin(50, early, allow());
    await until('the loss is logged', () => events(early).length > 0);
    await server.restart();
    await untilQuotasAnswer(early.quotas, clock, 2_000);
    expect(await consume(early, allow())).to.include({ granted: true, used: 1 });
    await until('the return is logged', () => events(early).length > 1);
    expect(events(early)).to.deep.equal([lost, back]);
  });

  it('reject at the deadline while Redis is paused, and do not count those calls later', async () => {
    const allowance = allow();
    await consume(opened, allowance);
    server.pause();
    await Promise.all(
      Array.from({ length: 50 }, () => rejectionWithin(latestMs, opened, allowance)),
    );
    await expectOutage(opened, allowance, 2_500);
    server.resume();
    await untilQuotasAnswer(opened.quotas, clock, 2_000);
    expect(await usedOf(opened, allowance)).to.equal(1);
    expect(await consume(opened, allowance)).to.include({ granted: true, used: 2 });
  });

  it('count what Redis answered in time while this process was too busy to read it', async () => {
    const allowance = allow();
    const counted = consume(opened, allowance);
    await setImmediate(); // The command is written, and timers are due before sockets are read.
    const end = clock.elapsed() + timeoutMs + 100;
    while (clock.elapsed() < end) JSON.stringify(allowance); // no event is handled meanwhile
    expect(await counted).to.include({ granted: true, used: 1 });
  });

  for (const lateMs of [100, 2 * timeoutMs]) {
    it(`refund a unit that Redis counted in time but reported ${lateMs} ms after the timeout`, async () => {
      const proxy = cleanup.add(await startTcpProxy(server.port), ({ close }) => close());
      const behind = await openReady(server.url(proxy.port));
      const allowance = allow();
      await consume(behind, allowance);
      proxy.delay(timeoutMs + lateMs);
      await rejectionWithin(latestMs, behind, allowance);
      await until('the unit is counted', async () => (await usedOf(opened, allowance)) === 2);
      proxy.delay(0);
      await until('the unit is refunded', async () => (await usedOf(opened, allowance)) === 1);
    });
  }

  it('refund nothing for a request that Redis refused, when it reports that after the timeout', async () => {
    const proxy = cleanup.add(await startTcpProxy(server.port), ({ close }) => close());
    const behind = await openReady(server.url(proxy.port));
    const [full, other] = [allow(1), allow()];
    await consume(behind, full);
    proxy.delay(timeoutMs + 100);
    await Promise.all(
      [full, other].map((allowance) => rejectionWithin(latestMs, behind, allowance)),
    );
    await until('the other unit is counted', async () => (await usedOf(opened, other)) === 1);
    proxy.delay(0);
    await until('the other unit is refunded', async () => (await usedOf(opened, other)) === 0);
    expect(await usedOf(opened, full)).to.equal(1);
  });

  it('log nothing of a request that Redis executes after its deadline, and so does not count', async () => {
    const allowance = allow();
    server.pause();
    await rejectionWithin(latestMs, opened, allowance);
    server.resume();
    await untilQuotasAnswer(opened.quotas, clock, 2_000);
    expect(await usedOf(opened, allowance)).to.equal(0);
    expect(events(opened)).to.not.include('warn: late quota unit not refunded');
  });

  it('log that a unit is not refunded when the reply to it never comes', async () => {
    const proxy = cleanup.add(await startTcpProxy(server.port), ({ close }) => close());
    const behind = await openReady(server.url(proxy.port));
    const allowance = allow();
    proxy.delay(60_000);
    await rejectionWithin(latestMs, behind, allowance);
    await until('it is logged', () =>
      events(behind).includes('warn: late quota unit not refunded'),
    );
    expect(await usedOf(opened, allowance)).to.equal(1);
  });

  it('recover from a lost connection, and log the loss and the return once', async () => {
    const allowance = allow();
    await until('the start is logged', () => events(opened).length === 1);
    await server.kill();
    await expectOutage(opened, allowance, 1_000);
    await server.restart();
    await untilQuotasAnswer(opened.quotas, clock, 2_000);
    expect(await consume(opened, allowance)).to.include({ granted: true, used: 1 });
    await until('the return is logged', () => events(opened).length === 3);
    expect(events(opened)).to.deep.equal([back, lost, back]);
  });

  it('reconnect when the server became a replica, and log that once', async () => {
    const allowance = allow();
    await consume(opened, allowance);
    await until('the start is logged', () => events(opened).length === 1);
    await server.command('REPLICAOF', '127.0.0.1', 1);
    expect(await rejectionOf(consume(opened, allowance))).to.match(/READONLY/);
    await expectOutage(opened, allowance, 1_500);
    expect(events(opened).slice(1)).to.deep.equal([lost]);
    await server.command('REPLICAOF', 'NO', 'ONE');
    await untilQuotasAnswer(opened.quotas, clock, 2_000);
    expect(await consume(opened, allowance)).to.include({ granted: true, used: 2 });
    await until('the return is logged', () => events(opened).length === 3);
  });

  it('treat full memory and a busy script as outages, and recover', async () => {
    const allowance = allow();
    await consume(opened, allowance);
    await server.command('CONFIG', 'SET', 'maxmemory', 1);
    expect(await rejectionWithin(latestMs, opened, allowance)).to.match(/OOM/);
    await server.command('CONFIG', 'SET', 'maxmemory', 0);
    expect(await consume(opened, allowance)).to.include({ granted: true, used: 2 });

    await server.command('CONFIG', 'SET', 'busy-reply-threshold', 50);
    const endless = rejectionOf(server.command('EVAL', 'while true do end', 0));
    await until('Redis is busy', async () =>
      /BUSY/.test(await rejectionOf(server.command('PING'))),
    );
    await rejectionWithin(latestMs, opened, allowance);
    await server.command('SCRIPT', 'KILL');
    await endless;
    await untilQuotasAnswer(opened.quotas, clock, 2_000);
    expect(await consume(opened, allowance)).to.include({ granted: true, used: 3 });
  });

  it('synchronise with the clock of Redis again after a clock jump', async () => {
    let shift = 0;
    const jumping = { now: () => Date.now(), elapsed: () => performance.now() + shift };
    const moved = await openReady(server.url(), jumping);
    const allowance = allow();
    let granted = 0;
    for (const step of [60_000, -300_000, 15_000]) {
      shift += step;
      const [first] = await Promise.allSettled([
        consumeOne(moved.quotas, allowance, jumping.elapsed() + timeoutMs),
      ]);
      if (first.status === 'fulfilled') granted += 1;
      await untilQuotasAnswer(moved.quotas, jumping, 500);
    }
    const { used, endsAt } = await consumeOne(
      moved.quotas,
      allowance,
      jumping.elapsed() + timeoutMs,
    );
    expect(used).to.equal(granted + 1);
    expect(endsAt).to.equal((await consume(opened, allowance)).endsAt);
  });

  it('log an error for an eviction policy that may evict counters', async () => {
    const event = 'error: quota counters may be evicted: set maxmemory-policy to noeviction';
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const other = await openReady();
    await until('the policy is logged', () => events(other).includes(event));
    expect(events(opened)).not.to.include(event);
    expect(other.log.entries.find(({ level }) => level === 'error')?.facts).to.deep.equal({
      policy: 'allkeys-lru',
    });
  });

  it('work with a minimal set of permissions, and warn when they may not read the eviction policy', async () => {
    const rights =
      '~quota:* -@all +auth +info +ping +quit +time +client +eval +evalsha +hget +hset +hdel +pttl +pexpireat';
    await server.command('ACL', 'SETUSER', 'gateway', 'on', '>s3cret/word', ...rights.split(' '));
    const url = server.url().replace('redis://', 'redis://gateway:s3cret%2Fword@');
    const limited = await openReady(url);
    const allowance = allow();
    const consumed = await consume(limited, allowance);
    await limited.quotas.refund(allowance, consumed, inTwoSeconds(clock));
    expect(await consume(limited, allowance)).to.include({ granted: true, used: 1 });
    await until('the unreadable policy is logged', () =>
      events(limited).includes(
        'warn: Redis maxmemory-policy not readable, make sure it is noeviction',
      ),
    );
  });

  it('reject without permission to read the clock, and log why', async () => {
    await server.command('ACL', 'SETUSER', 'timeless', 'on', '>word', '~*', '+@all', '-time');
    const blind = await open(server.url().replace('redis://', 'redis://timeless:word@'));
    await until('the denied command is logged', () =>
      events(blind).includes('error: Redis clock not readable (retrying)'),
    );
    expect(await rejectionOf(consume(blind, allow()))).to.match(/clock/);
    expect(events(blind).filter((event) => /clock/.test(event))).to.have.length(1);
  });

  it('never log a password', async () => {
    await server.command('ACL', 'SETUSER', 'gateway', 'on', '>right', '~*', '+@all');
    const wrong = await open(server.url().replace('redis://', 'redis://gateway:wr0ng-word@'));
    await until('the refusal is logged', () => events(wrong).includes(lost));
    const reason = await rejectionOf(consume(wrong, allow()));
    expect(JSON.stringify([wrong.log.entries, reason])).not.to.include('wr0ng');
  });
});
