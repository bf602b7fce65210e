import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Allowance } from '../../src/domain/caller.ts';
import { consume as consumeAll, windowLengthMs } from '../../src/quota/quota.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { useCleanup } from '../support/cleanup.ts';
import {
  inTwoSeconds,
  openReadyRedisQuotas,
  type TestRedisQuotas,
} from '../support/redis-quotas.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { consumeOne } from '../support/stores/consume-one.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { rejectionOf, until } from '../support/wait.ts';

describe('Redis quotas', () => {
  let server: RedisServer;
  let opened: TestRedisQuotas;
  let subjects = 0;

  const allow = (limit: number): Allowance => {
    subjects += 1;
    return { subject: `organization:${subjects}`, window: 'hour', limit };
  };
  const keyOf = ({ subject }: Allowance): string => `quota:${subject}`;
  const consume = (allowance: Allowance, by = opened) =>
    consumeOne(by.quotas, allowance, inTwoSeconds(by.clock));
  const usedOf = async (allowance: Allowance): Promise<number> =>
    (await opened.quotas.read(allowance, inTwoSeconds(opened.clock))).used;

  const cleanup = useCleanup(after);
  const open = async (clock = systemClock()): Promise<TestRedisQuotas> =>
    cleanup.add(await openReadyRedisQuotas(server.url(), clock), ({ quotas }) => quotas.close());

  before(async () => {
    server = cleanup.add(await startRedisServer(), (started) => started.stop());
    opened = await open();
  });
  beforeEach(async () => {
    const { msLeft } = await opened.quotas.read(allow(1), inTwoSeconds(opened.clock));
    if (msLeft < 5_000) await sleep(msLeft + 50); // no test crosses the end of an hour
  });

  it('store the end and count of each window in one hash per subject, which expires with the last window', async () => {
    const allowance = allow(9);
    const windows = ['day', 'minute', 'hour'] as const;
    const ends: number[] = [];
    for (const window of windows) {
      await consume({ ...allowance, window });
      const { endsAt } = await consume({ ...allowance, window });
      expect(endsAt % windowLengthMs(window)).to.equal(0);
      expect(await server.command('HGET', keyOf(allowance), window)).to.equal(`${endsAt} 2`);
      ends.push(endsAt);
      expect(Number(await server.command('PEXPIRETIME', keyOf(allowance)))).to.equal(
        Math.max(...ends),
      );
    }
    expect(await server.command('KEYS', '*probe*'), 'reading writes nothing').to.deep.equal([]);
  });

  it('reset one window of a subject, and leave the others as they are', async () => {
    const allowance = allow(9);
    const day = { ...allowance, window: 'day' } as const;
    await opened.quotas.consume([allowance, day], inTwoSeconds(opened.clock));
    await opened.quotas.reset(allowance, inTwoSeconds(opened.clock));
    expect([await usedOf(allowance), await usedOf(day)]).to.deep.equal([0, 1]);
  });

  for (const [what, away] of [
    ['an earlier window', -1],
    ['a later window, before the clock of Redis was set back', 1],
  ] as const) {
    it(`ignore a full count of ${what}, also one that never expires`, async () => {
      const allowance = allow(2);
      const { endsAt } = await opened.quotas.read(allowance, inTwoSeconds(opened.clock));
      const other = endsAt + away * windowLengthMs('hour');
      await server.command('HSET', keyOf(allowance), 'hour', `${other} 2`);
      expect(await usedOf(allowance)).to.equal(0);
      expect((await consume(allowance)).used).to.equal(1);
      expect(await server.command('PEXPIRETIME', keyOf(allowance))).to.equal(endsAt);
    });
  }

  it('use the clock of Redis, not the clock of the gateway', async () => {
    const skewed = { now: () => Date.now() - 7_200_000, elapsed: () => performance.now() + 1e9 };
    const other = await open(skewed);
    const allowance = allow(6);
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        consume(allowance, index % 2 === 0 ? opened : other),
      ),
    );
    expect(statuses.filter(({ granted }) => granted)).to.have.length(6);
    expect(new Set(statuses.map(({ endsAt }) => endsAt)).size).to.equal(1);
  });

  it('reject for a subject whose key holds no valid count, and for no other subject', async () => {
    const [list, text, float, negative, fine] = [allow(5), allow(5), allow(5), allow(5), allow(5)];
    const [large, later] = [allow(5), allow(5)];
    await server.command('RPUSH', keyOf(list), 'x');
    await server.command('HSET', keyOf(text), 'hour', 'many');
    await server.command('HSET', keyOf(float), 'hour', '1e3 1');
    await server.command('HSET', keyOf(negative), 'hour', '1 -5');
    const ends = (await consume(allow(5))).endsAt;
    await server.command('HSET', keyOf(large), 'hour', `${ends} 99999999999999999999`);
    await server.command('HSET', keyOf(later), 'hour', `${'9'.repeat(20)} 1`);
    for (const corrupt of [list, text, float, negative, large, later]) {
      for (let times = 0; times < 2; times += 1) {
        expect(await rejectionOf(consume(corrupt))).to.match(/QUOTACORRUPT|WRONGTYPE/);
        expect(await rejectionOf(opened.quotas.read(corrupt, inTwoSeconds(opened.clock)))).to.match(
          /QUOTACORRUPT|WRONGTYPE/,
        );
      }
    }
    expect(await consume(fine)).to.include({ granted: true, used: 1 });
    await server.command('DEL', keyOf(list));
    expect(await consume(list)).to.include({ granted: true, used: 1 });
  });

  it('are reset by the user that the guide describes, also where a key has another type', async () => {
    const template = readFileSync(
      new URL('../../deploy/redis/users.acl.template', import.meta.url),
      'utf8',
    );
    const [, rules = ''] = /^user gateway on #\S+ (.*)$/m.exec(template) ?? [];
    await server.command('ACL', 'SETUSER', 'gateway', 'on', 'nopass', ...rules.split(' '));
    const url = new URL(server.url());
    [url.username, url.password] = ['gateway', 'any'];
    const { quotas, clock } = cleanup.add(await openReadyRedisQuotas(url.href), (one) =>
      one.quotas.close(),
    );
    const allowance = allow(5);
    await server.command('SET', keyOf(allowance), 'x');
    await quotas.reset(allowance, inTwoSeconds(clock));
    expect(await consume(allowance)).to.include({ granted: true, used: 1 });
    await quotas.reset(allowance, inTwoSeconds(clock));
    expect(await consume(allowance)).to.include({ granted: true, used: 1 });
  });

  it('count in both windows for a gateway that ends before Redis replies, with one command', async () => {
    const proxy = cleanup.add(await startTcpProxy(server.port), (between) => between.close());
    const ending = await openReadyRedisQuotas(server.url(proxy.port));
    const hour = allow(5);
    const day = { ...hour, window: 'day' } as const;
    proxy.delay(10_000);
    const asked = consumeAll(ending.quotas, [hour, day], inTwoSeconds(ending.clock));
    await until('the hour is counted', async () => (await usedOf(hour)) === 1);
    proxy.reset();
    await ending.quotas.close();
    await asked;
    expect(await usedOf(day)).to.equal(1);
  });

  it('survive SCRIPT FLUSH', async () => {
    const allowance = allow(60);
    const statuses = [];
    for (let round = 0; round < 5; round += 1) {
      const crowd = Promise.all(Array.from({ length: 10 }, () => consume(allowance)));
      await server.command('SCRIPT', 'FLUSH');
      statuses.push(...(await crowd));
    }
    expect(statuses.filter(({ granted }) => granted)).to.have.length(50);
    expect(await usedOf(allowance)).to.equal(50);
  });

  it('reject without counting after the deadline', async () => {
    const allowance = allow(5);
    const late = opened.clock.elapsed();
    const status = await consume(allowance);
    expect(await rejectionOf(consumeOne(opened.quotas, allowance, late))).to.match(/deadline/);
    expect(await rejectionOf(opened.quotas.read(allowance, late))).to.match(/deadline/);
    expect(await rejectionOf(opened.quotas.refund(allowance, status, late))).to.match(/deadline/);
    expect(await usedOf(allowance)).to.equal(1);
  });
});
