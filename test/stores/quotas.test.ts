import { readFileSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import { readRedisUrl } from '../../adapters/stores/redis/address.ts';
import type { Allowance, QuotaWindow } from '../../src/domain/caller.ts';
import type { Clock, QuotaStore } from '../../src/ports.ts';
import { consume as consumeAll, windowLengthMs } from '../../src/quota/quota.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import {
  consumeOne,
  inTwoSeconds,
  openReadyRedisQuotas,
  openTestRedisQuotas,
  type TestRedisQuotas,
  untilQuotasAnswer,
} from '../support/redis-quotas.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { awayFromMidnight, rejectionOf, settlesWithin, until } from '../support/wait.ts';

/** The hour must not end in a test: milliseconds that are left when one begins. */
const leastMs = 10_000;

const anySubjects = fc.shuffledSubarray(
  ['a}b', 'a}', '{a', 'a b', 'a\r\nb', 'ä', '*', 'a:minute'],
  { minLength: 2, maxLength: 2 },
);
const anyCalls = fc.array(
  fc.record({
    call: fc.constantFrom('consume', 'consume', 'read', 'refund', 'refund before'),
    subject: fc.nat(1),
    windows: fc.constantFrom<QuotaWindow[]>(['hour'], ['day'], ['hour', 'day']),
    limit: fc.record({ hour: fc.nat(3), day: fc.nat(3), minute: fc.nat(3) }),
  }),
  { minLength: 10, maxLength: 30 },
);

describe('quotas', () => {
  const cleanup = useCleanup(after);

  const openEmbedded = async () => {
    const clock = createManualClock();
    return { quotas: createEmbeddedQuotas(clock), clock };
  };
  const openRedis = async () => {
    const server = await cleanup.start(startRedisServer());
    return cleanup.add(await openReadyRedisQuotas(server.url()), ({ quotas }) => quotas.close());
  };

  for (const [name, open] of [
    ['in memory', openEmbedded],
    ['in Redis', openRedis],
  ] as const)
    describe(name, () => {
      let quotas: QuotaStore;
      let clock: Clock;
      let subjects = 0;
      before(async () => {
        ({ quotas, clock } = await open());
      });
      const allow = (limit: number, window: QuotaWindow = 'hour'): Allowance => {
        subjects += 1;
        return { subject: `organization:${subjects}`, window, limit };
      };
      const deadline = (): number => clock.elapsed() + 2_000;
      const read = (allowance: Allowance) => quotas.read(allowance, deadline());
      beforeEach(async () => {
        const { msLeft } = await read(allow(1));
        if (msLeft < leastMs) await sleep(msLeft + 50);
      });

      for (const window of ['minute', 'hour', 'day'] as const)
        it(`return the end of the ${window}, aligned with the clock`, async () => {
          const allowance = allow(2, window);
          const statuses = [read(allowance), consumeOne(quotas, allowance, deadline())];
          for (const { endsAt, msLeft } of await Promise.all(statuses)) {
            expect(endsAt % windowLengthMs(window)).to.equal(0);
            expect(msLeft).to.be.within(1, windowLengthMs(window));
          }
        });

      for (const [refusing, perHour, perDay] of [
        ['hour', 3, 100],
        ['hour', 3, 3],
        ['day', 100, 3],
        ['day', 4, 3],
      ] as const)
        it(`count in both windows or in none: ${perHour} an hour, ${perDay} a day`, async () => {
          const hour = allow(perHour);
          const allowances = [hour, { ...hour, window: 'day', limit: perDay } as const];
          const results = await Promise.all(
            Array.from({ length: 100 }, () => consumeAll(quotas, allowances, deadline())),
          );
          const seen = results.map(({ refusal, charges, failure }) => {
            if (failure !== undefined) throw failure;
            const used = charges.map(({ status }) => status.used).join(' ');
            return `${refusal?.allowance.window ?? 'granted'} ${used}`;
          });
          const refused = Array<string>(97).fill(`${refusing} 3 3`);
          expect(seen).to.have.members(['granted 1 1', 'granted 2 2', 'granted 3 3', ...refused]);
          for (const allowance of allowances) expect((await read(allowance)).used).to.equal(3);
        });

      it('count like a counter for each subject and window, even if the limit changes', async () => {
        let runs = 0;
        const run = fc.asyncProperty(anySubjects, anyCalls, async (names, calls) => {
          runs += 1;
          const counts = new Map<string, number>();
          for (const { call, windows, ...one } of calls) {
            const subject = `key:${runs}${names[one.subject]}`;
            const allowances = windows.map((window) => ({
              ...{ subject, window, limit: one.limit[window] },
            }));
            const used = windows.map((window) => counts.get(`${subject} ${window}`) ?? 0);
            const hasRoom = allowances.map(({ limit }, index) => (used[index] ?? 0) < limit);
            const consumed = call === 'consume' && hasRoom.every(Boolean) ? 1 : 0;
            const change = call === 'refund' ? -1 : consumed;
            const after = used.map((count) => Math.max(0, count + change));
            for (const [index, window] of windows.entries())
              counts.set(`${subject} ${window}`, after[index] ?? 0);
            const answered =
              call === 'consume'
                ? await quotas.consume(allowances, deadline())
                : await Promise.all(allowances.map(read));
            if (!call.startsWith('refund')) {
              const expected = allowances.map(({ limit }, index) => ({
                granted: hasRoom[index],
                used: Math.min(limit, after[index] ?? 0),
              }));
              const seen = answered.map((status) => ({
                ...{ granted: status.granted, used: status.used },
              }));
              expect(seen).to.deep.equal(expected);
              continue;
            }
            for (const [index, allowance] of allowances.entries()) {
              const earlier = call === 'refund' ? 0 : windowLengthMs(allowance.window);
              const endsAt = (answered[index]?.endsAt ?? 0) - earlier;
              const status = { granted: true, used: 1, msLeft: 1, endsAt };
              await quotas.refund(allowance, status, deadline());
            }
          }
        });
        await fc.assert(run, { numRuns: 100 });
      });
    });
});

const timeoutMs = 250;
/** When a call must have been rejected, in milliseconds. */
const latestMs = timeoutMs + 150;

const lost = 'error: Redis unreachable, refusing requests with 503 (retrying)';
const back = 'info: Redis reachable';
const notRefunded = 'warn: late quota unit not refunded';

const clock = systemClock();
let subjects = 0;
const allow = (limit = 1_000): Allowance => {
  subjects += 1;
  return { subject: `organization:${subjects}`, window: 'day', limit };
};
const consume = ({ quotas }: TestRedisQuotas, allowance: Allowance) =>
  consumeOne(quotas, allowance, clock.elapsed() + timeoutMs);
const usedOf = async ({ quotas }: TestRedisQuotas, allowance: Allowance) =>
  (await quotas.read(allowance, inTwoSeconds(clock))).used;
const keyOf = ({ subject }: Allowance): string => `quota:${subject}`;
const events = ({ log }: TestRedisQuotas) =>
  log.entries.map(({ level, event }) => `${level}: ${event}`);

describe('quotas in one Redis', () => {
  let server: RedisServer;
  let opened: TestRedisQuotas;
  const cleanup = useCleanup(afterEach);
  const all = useCleanup(after);
  const open = (url = server.url()) =>
    cleanup.add(openTestRedisQuotas(url), ({ quotas }) => quotas.close());
  const openReady = async (url = server.url(), by = clock) =>
    cleanup.add(await openReadyRedisQuotas(url, by), ({ quotas }) => quotas.close());
  /** A store behind a proxy. */
  const openBehind = async () => {
    const proxy = cleanup.add(await startTcpProxy(server.port), ({ close }) => close());
    return { proxy, behind: await openReady(server.url(proxy.port)) };
  };
  /** The reason of a call that is rejected before a timer of `ms` ends. */
  const rejectionWithin = async (ms: number, by: TestRedisQuotas, allowance = allow()) => {
    const reason = rejectionOf(consume(by, allowance));
    expect(await settlesWithin(ms, reason), `rejects within ${ms} ms`).to.equal(true);
    return reason;
  };
  /** The URL of a user with these rights. */
  const urlOf = async (user: string, ...rights: string[]) => {
    await server.command('ACL', 'SETUSER', user, 'on', '>s3cret/word', ...rights);
    return server.url().replace('redis://', `redis://${user}:s3cret%2Fword@`);
  };

  before(async () => {
    server = await all.start(startRedisServer());
    opened = all.add(await openReadyRedisQuotas(server.url()), ({ quotas }) => quotas.close());
  });
  beforeEach(() => awayFromMidnight(10_000));

  it('store windows in one hash per subject, which expires with the last window', async () => {
    const ends: number[] = [];
    const any = allow();
    for (const window of ['day', 'minute', 'hour'] as const) {
      await consume(opened, { ...any, window });
      const { endsAt } = await consume(opened, { ...any, window });
      expect(endsAt % windowLengthMs(window)).to.equal(0);
      expect(await server.command('HGET', keyOf(any), window)).to.equal(`${endsAt} 2`);
      ends.push(endsAt);
      const expiry = await server.command('PEXPIRETIME', keyOf(any));
      expect(expiry).to.equal(Math.max(...ends));
    }
    expect(await server.command('KEYS', '*probe*'), 'reading writes nothing').to.deep.equal([]);
  });

  for (const [what, away] of [
    ['an earlier window', -1],
    ['a later window, before the clock of Redis was set back', 1],
  ] as const)
    it(`ignore a full count of ${what}, even if it never expires`, async () => {
      const day = allow(2);
      const hour = { ...day, window: 'hour' } as const;
      const { endsAt } = await consume(opened, day);
      const other = (await opened.quotas.read(hour, inTwoSeconds(clock))).endsAt;
      const full = `${other + away * windowLengthMs('hour')} 2`;
      await server.command('HSET', keyOf(day), 'hour', full);
      await server.command('PERSIST', keyOf(day));
      expect(await usedOf(opened, hour)).to.equal(0);
      const both = await opened.quotas.consume([hour, day], inTwoSeconds(clock));
      expect(both.map(({ used }) => used)).to.deep.equal([1, 2]);
      expect(await server.command('PEXPIRETIME', keyOf(day))).to.equal(endsAt);
    });

  it('reset one window of a subject only', async () => {
    const day = allow();
    const hour = { ...day, window: 'hour' } as const;
    await opened.quotas.consume([hour, day], inTwoSeconds(clock));
    await opened.quotas.reset(hour, inTwoSeconds(clock));
    expect([await usedOf(opened, hour), await usedOf(opened, day)]).to.deep.equal([0, 1]);
  });

  it('use the Redis clock, even if a gateway clock is wrong or jumps', async () => {
    let shift = 1e9;
    const wrong = { now: () => Date.now() - 7_200_000, elapsed: () => performance.now() + shift };
    const other = await openReady(server.url(), wrong);
    const day = allow(6);
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? consume(opened, day)
          : consumeOne(other.quotas, day, wrong.elapsed() + timeoutMs),
      ),
    );
    expect(statuses.filter(({ granted }) => granted)).to.have.length(6);
    expect(new Set(statuses.map(({ endsAt }) => endsAt)).size).to.equal(1);
    for (const step of [60_000, -300_000, 15_000]) {
      shift += step;
      await untilQuotasAnswer(other.quotas, wrong);
    }
    expect(await consumeOne(other.quotas, day, wrong.elapsed() + timeoutMs)).to.include({
      ...{ granted: false, used: 6 },
    });
  });

  it('reject calls for a subject without a valid count, and for no other subject', async () => {
    const { endsAt } = await consume(opened, allow());
    const list = allow();
    await server.command('RPUSH', keyOf(list), 'x');
    const corrupt = [list];
    for (const value of [
      'many',
      '1e3 1',
      '1 -5',
      `${endsAt} ${'9'.repeat(20)}`,
      `${'9'.repeat(20)} 1`,
    ]) {
      const day = allow();
      corrupt.push(day);
      await server.command('HSET', keyOf(day), 'day', value);
    }
    for (const day of corrupt)
      for (const call of [consume, usedOf, consume])
        expect(await rejectionOf(call(opened, day))).to.match(/QUOTACORRUPT|WRONGTYPE/);
    expect(await consume(opened, allow())).to.include({ granted: true, used: 1 });
    await server.command('DEL', keyOf(list));
    expect(await consume(opened, list)).to.include({ granted: true, used: 1 });
  });

  it('count in both windows for a gateway that ends before Redis replies', async () => {
    const proxy = cleanup.add(await startTcpProxy(server.port), ({ close }) => close());
    const ending = await openReadyRedisQuotas(server.url(proxy.port));
    const day = allow();
    const hour = { ...day, window: 'hour' } as const;
    proxy.delay(10_000);
    const asked = consumeAll(ending.quotas, [hour, day], inTwoSeconds(clock));
    await until('the hour is counted', async () => (await usedOf(opened, hour)) === 1);
    proxy.reset();
    await ending.quotas.close();
    await asked;
    expect(await usedOf(opened, day)).to.equal(1);
  });

  it('reject calls after their deadline, without counting', async () => {
    const day = allow();
    const late = clock.elapsed();
    const status = await consume(opened, day);
    const { quotas } = opened;
    for (const call of [
      consumeOne(quotas, day, late),
      quotas.read(day, late),
      quotas.refund(day, status, late),
    ])
      expect(await rejectionOf(call)).to.match(/deadline/);
    expect(await usedOf(opened, day)).to.equal(1);
  });

  it('count a reply in time that a busy process reads late', async () => {
    const day = allow();
    const counted = consume(opened, day);
    await setImmediate(); // The command is written, and timers are due before sockets are read.
    const end = clock.elapsed() + latestMs;
    while (clock.elapsed() < end) JSON.stringify(day); // no event is handled
    expect(await counted).to.include({ granted: true, used: 1 });
  });

  it('refund a unit that was counted in time but reported after the timeout', async () => {
    const { proxy, behind } = await openBehind();
    const [full, day] = [allow(1), allow()];
    await consume(behind, full);
    proxy.delay(latestMs + timeoutMs);
    await Promise.all([full, day].map((each) => rejectionWithin(latestMs, behind, each)));
    await until('the unit is counted', async () => (await usedOf(opened, day)) === 1);
    await until('the unit is refunded', async () => (await usedOf(opened, day)) === 0);
    expect(await usedOf(opened, full), 'a refused request is not refunded').to.equal(1);
  });

  it('log that a unit is not refunded if Redis never replies', async () => {
    const { proxy, behind } = await openBehind();
    const day = allow();
    proxy.delay(60_000);
    await rejectionWithin(latestMs, behind, day);
    await until('it is logged', () => events(behind).includes(notRefunded));
    expect(await usedOf(opened, day)).to.equal(1);
  });

  it('reject calls at the deadline while Redis is paused, and never count them', async () => {
    const day = allow();
    const paused = await openReady();
    await consume(paused, day);
    server.pause();
    const crowd = Array.from({ length: 50 }, () => rejectionWithin(latestMs, paused, day));
    await Promise.all(crowd);
    server.resume();
    await untilQuotasAnswer(paused.quotas, clock);
    expect(await consume(paused, day)).to.include({ granted: true, used: 2 });
    expect(events(paused)).to.not.include(notRefunded);
  });

  it('reject calls immediately without a connection, and log its loss and return once', async () => {
    const known = await openReady();
    await until('the start is logged', () => events(known).length === 1);
    await server.kill();
    const early = open();
    for (let times = 0; times < 20; times += 1) await rejectionWithin(50, early);
    await until('the loss is logged', () => events(early).length > 0);
    await rejectionWithin(latestMs, known);
    await server.restart();
    for (const [one, ...expected] of [
      [known, back, lost, back],
      [early, lost, back],
    ] as const) {
      await untilQuotasAnswer(one.quotas, clock);
      expect(await consume(one, allow())).to.include({ granted: true, used: 1 });
      await until('the return is logged', () => events(one).length === expected.length);
      expect(events(one)).to.deep.equal(expected);
    }
  });

  it('reconnect when the server became a replica, and log that once', async () => {
    const day = allow();
    const known = await openReady();
    await consume(known, day);
    await until('the start is logged', () => events(known).length === 1);
    await server.command('REPLICAOF', '127.0.0.1', 1);
    expect(await rejectionWithin(latestMs, known, day)).to.match(/READONLY/);
    await until('it has connected again', async () =>
      /READONLY/.test(await rejectionWithin(latestMs, known, day)),
    );
    expect(events(known)).to.deep.equal([back, lost]);
    await server.command('REPLICAOF', 'NO', 'ONE');
    await untilQuotasAnswer(known.quotas, clock);
    expect(await consume(known, day)).to.include({ granted: true, used: 2 });
    await until('the return is logged', () => events(known).length === 3);
  });

  it('treat full memory as an outage, and recover', async () => {
    const day = allow();
    await server.command('CONFIG', 'SET', 'maxmemory', 1);
    expect(await rejectionWithin(latestMs, opened, day)).to.match(/OOM/);
    await server.command('CONFIG', 'SET', 'maxmemory', 0);
    expect(await consume(opened, day)).to.include({ granted: true, used: 1 });
  });

  it('log an error for an eviction policy that can evict counters', async () => {
    const event = 'error: quota counters may be evicted: set maxmemory-policy to noeviction';
    expect(events(opened)).not.to.include(event);
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const other = await openReady();
    await until('the policy is logged', () => events(other).includes(event));
    const entry = other.log.entries.find(({ level }) => level === 'error');
    expect(entry?.facts).to.deep.equal({ policy: 'allkeys-lru' });
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  });

  it('work with the rights in the guide, and without `config|get` log a warning', async () => {
    const template = new URL('../../deploy/redis/users.acl.template', import.meta.url);
    const [, rules = ''] =
      /^user gateway on #\S+ (.*)$/m.exec(readFileSync(template, 'utf8')) ?? [];
    const url = await urlOf('gateway', ...rules.split(' '), '-config|get');
    const limited = await openReady(url);
    const day = allow();
    const { quotas } = limited;
    await quotas.refund(day, await consume(limited, day), inTwoSeconds(clock));
    expect(await consume(limited, day)).to.include({ granted: true, used: 1 });
    await quotas.reset(day, inTwoSeconds(clock));
    await server.command('SET', keyOf(day), 'a key of another type');
    await quotas.reset(day, inTwoSeconds(clock));
    expect(await consume(limited, day)).to.include({ granted: true, used: 1 });
    const unread = 'warn: Redis maxmemory-policy not readable, make sure it is noeviction';
    await until('it is logged', () => events(limited).includes(unread));
  });

  it('reject calls without the right to read the clock, and log why', async () => {
    const blind = open(await urlOf('timeless', '~*', '+@all', '-time'));
    const unread = 'error: Redis clock not readable (retrying)';
    await until('it is logged', () => events(blind).includes(unread));
    expect(await rejectionOf(consume(blind, allow()))).to.match(/clock/);
    expect(events(blind).filter((event) => /clock/.test(event))).to.have.length(1);
  });

  it('never log a password', async () => {
    const url = await urlOf('gateway', '~*', '+@all');
    const wrong = open(url.replace('s3cret', 'wr0ng'));
    await until('the refusal is logged', () => events(wrong).includes(lost));
    const reason = await rejectionOf(consume(wrong, allow()));
    expect(JSON.stringify([wrong.log.entries, reason])).not.to.include('wr0ng');
  });
});

describe('REDIS_URL', () => {
  const plain = { username: undefined, password: undefined, tls: false, db: 0 };
  const node = (host: string, port = 6379) => ({ host, port });
  const single = { ...plain, kind: 'single' };
  const cluster = { ...plain, kind: 'cluster' };
  const noAccess = { sentinelUsername: undefined, sentinelPassword: undefined };
  const sentinel = { ...plain, ...noAccess, kind: 'sentinel', name: 'main' };

  const addresses: Readonly<Record<string, object>> = {
    'redis://127.0.0.1': { ...single, node: node('127.0.0.1') },
    'redis://cache.internal:7000/3': { ...single, node: node('cache.internal', 7000), db: 3 },
    'redis://[::1]:7000/': { ...single, node: node('::1', 7000) },
    'rediss://cache': { ...single, node: node('cache'), tls: true },
    'redis://:p%40ss%2Cw%3Ard@cache': { ...single, node: node('cache'), password: 'p@ss,w:rd' },
    'redis://me:a:b@cache': { ...single, node: node('cache'), username: 'me', password: 'a:b' },
    'redis://a:1,b:2,c': { ...cluster, nodes: [node('a', 1), node('b', 2), node('c')] },
    'redis://a:1,redis://b:2': { ...cluster, nodes: [node('a', 1), node('b', 2)] },
    'rediss://u:p@a,rediss://b': {
      ...{ ...cluster, nodes: [node('a'), node('b')] },
      ...{ username: 'u', password: 'p', tls: true },
    },
    'redis+sentinel://a/main': { ...sentinel, sentinels: [node('a', 26379)] },
    'redis+sentinel://:p@a:1,b:2/main/5': {
      ...{ ...sentinel, sentinels: [node('a', 1), node('b', 2)], password: 'p', db: 5 },
    },
    'rediss+sentinel://u:p@a:1,rediss+sentinel://b/main?sentinel_password=s%26+1&sentinel_username=w':
      {
        ...{ ...sentinel, sentinels: [node('a', 1), node('b', 26379)] },
        ...{ username: 'u', password: 'p', tls: true },
        ...{ sentinelUsername: 'w', sentinelPassword: 's&+1' },
      },
  };
  for (const [url, address] of Object.entries(addresses))
    it(`accepts ${url}`, () => expect(readRedisUrl(url)).to.deep.equal(address));
});
