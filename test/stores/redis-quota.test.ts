import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Allowance } from '../../src/domain/caller.ts';
import { windowLengthMs } from '../../src/quota/quota.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { createCleanup } from '../support/cleanup.ts';
import { inTwoSeconds, openReadyRedisQuotas, type TestRedisQuotas } from '../support/redis-quotas.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { rejectionOf } from '../support/wait.ts';

/** Waits for the next hour when this one ends before a test could. */
const withinOneHour = async ({ quotas, clock }: TestRedisQuotas, roomMs: number): Promise<void> => {
  const { msLeft } = await quotas.read(
    { subject: 'organization:probe', window: 'hour', limit: 1 },
    inTwoSeconds(clock),
  );
  if (msLeft < roomMs) await sleep(msLeft + 50);
};

const startSpender = async (url: string, subject: string, limit: number, times: number) => {
  const script = fileURLToPath(new URL('../../scripts/spend-quota.ts', import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ['--import', 'tsx', script, url, subject, String(limit), String(times)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  if (child.stdout === null || child.stdin === null) throw new Error('no pipes to the child process');
  const { stdin } = child;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).to.equal('ready');
  return async (): Promise<readonly number[]> => {
    const gone = once(child, 'exit');
    stdin.write('go\n');
    const { value } = await lines.next();
    expect(await gone).to.deep.equal([0, null]);
    return JSON.parse(String(value)) as number[]; // what the script writes
  };
};

describe('Redis quotas', function () {
  this.timeout(40_000);
  let server: RedisServer;
  let opened: TestRedisQuotas;
  let subjects = 0;

  const allow = (limit: number): Allowance => {
    subjects += 1;
    return { subject: `organization:${subjects}`, window: 'hour', limit };
  };
  const keyOf = ({ subject, window }: Allowance): string => `quota:{${subject}}:${window}`;
  const spend = (allowance: Allowance, by = opened) => by.quotas.consume(allowance, inTwoSeconds(by.clock));
  const usedOf = async (allowance: Allowance): Promise<number> =>
    (await opened.quotas.read(allowance, inTwoSeconds(opened.clock))).used;

  const cleanup = createCleanup();
  const open = async (clock = systemClock()): Promise<TestRedisQuotas> =>
    cleanup.add(await openReadyRedisQuotas(server.url(), clock), ({ quotas }) => quotas.close());

  before(async () => {
    server = cleanup.add(await startRedisServer(), (started) => started.stop());
    opened = await open();
  });
  beforeEach(() => withinOneHour(opened, 5_000));
  after(() => cleanup.run());

  it('are one for all gateways: four processes at once are granted the limit together', async () => {
    await withinOneHour(opened, 15_000);
    const allowance = allow(45);
    const spenders = await Promise.all(
      Array.from({ length: 4 }, () => startSpender(server.url(), allowance.subject, allowance.limit, 50)),
    );
    const ends = (await Promise.all(spenders.map((go) => go()))).flat();
    expect(new Set(ends).size).to.equal(1);
    expect(ends).to.have.length(45);
    expect(await server.command('GET', keyOf(allowance))).to.equal('45');
  });

  it('keep a plain count under one key of the subject and the window, which expires when the window ends', async () => {
    for (const window of ['minute', 'hour', 'day'] as const) {
      const allowance = { ...allow(9), window };
      await spend(allowance);
      const { endsAt } = await spend(allowance);
      expect(await server.command('GET', `quota:{${allowance.subject}}:${window}`)).to.equal('2');
      const expiresAt = Number(await server.command('PEXPIRETIME', keyOf(allowance)));
      expect(expiresAt).to.equal(endsAt);
      expect(expiresAt % windowLengthMs(window)).to.equal(0);
    }
    expect(await server.command('KEYS', '*probe*'), 'reading writes nothing').to.deep.equal([]);
  });

  it('do not count what another window left behind', async () => {
    const allowance = allow(2);
    await server.command('SET', keyOf(allowance), 2, 'PX', 10_000_000);
    expect(await usedOf(allowance)).to.equal(0);
    const { used, endsAt } = await spend(allowance);
    expect(used).to.equal(1);
    expect(await server.command('PEXPIRETIME', keyOf(allowance))).to.equal(endsAt);
  });

  it('end a count that a person left without an expiry with the window', async () => {
    const allowance = allow(5);
    await server.command('SET', keyOf(allowance), 3);
    expect(await usedOf(allowance)).to.equal(3);
    const { used, endsAt } = await spend(allowance);
    expect(used).to.equal(4);
    expect(await server.command('PEXPIRETIME', keyOf(allowance))).to.equal(endsAt);
  });

  it('go by the clock of Redis, whatever the clock of the gateway says', async () => {
    const skewed = { now: () => Date.now() - 7_200_000, elapsed: () => performance.now() + 1e9 };
    const other = await open(skewed);
    const allowance = allow(6);
    const standings = await Promise.all(
      Array.from({ length: 20 }, (_, place) => spend(allowance, place % 2 === 0 ? opened : other)),
    );
    expect(standings.filter(({ granted }) => granted)).to.have.length(6);
    expect(new Set(standings.map(({ endsAt }) => endsAt)).size).to.equal(1);
  });

  it('refuse to judge where something else stands under the key, for that subject alone', async () => {
    const [list, text, float, negative, fine] = [allow(5), allow(5), allow(5), allow(5), allow(5)];
    await server.command('RPUSH', keyOf(list), 'x');
    await server.command('SET', keyOf(text), 'many');
    await server.command('SET', keyOf(float), '1e3');
    await server.command('SET', keyOf(negative), '-5');
    for (const corrupt of [list, text, float, negative]) {
      for (let times = 0; times < 2; times += 1) {
        expect(await rejectionOf(spend(corrupt))).to.match(/QUOTACORRUPT|WRONGTYPE/);
        expect(await rejectionOf(opened.quotas.read(corrupt, inTwoSeconds(opened.clock)))).to.match(
          /QUOTACORRUPT|WRONGTYPE/,
        );
      }
    }
    expect(await spend(fine)).to.include({ granted: true, used: 1 });
    await server.command('DEL', keyOf(list));
    expect(await spend(list)).to.include({ granted: true, used: 1 });
  });

  it('go on when Redis forgets its scripts', async () => {
    const allowance = allow(60);
    const standings = [];
    for (let round = 0; round < 5; round += 1) {
      const crowd = Promise.all(Array.from({ length: 10 }, () => spend(allowance)));
      await server.command('SCRIPT', 'FLUSH');
      standings.push(...(await crowd));
    }
    expect(standings.filter(({ granted }) => granted)).to.have.length(50);
    expect(await usedOf(allowance)).to.equal(50);
  });

  it('hold more limits than are kept in memory', async () => {
    const allowance = allow(1);
    for (let limit = 5_000; limit < 6_100; limit += 1) await spend({ ...allowance, limit });
    expect(await spend({ ...allowance, limit: 5_000 })).to.include({ granted: true, used: 1_101 });
    expect(await spend({ ...allowance, limit: 1_101 })).to.include({ granted: false, used: 1_101 });
  });

  it('count nothing for a request whose deadline has passed', async () => {
    const allowance = allow(5);
    const late = opened.clock.elapsed();
    const standing = await spend(allowance);
    expect(await rejectionOf(opened.quotas.consume(allowance, late))).to.match(/deadline/);
    expect(await rejectionOf(opened.quotas.read(allowance, late))).to.match(/deadline/);
    expect(await rejectionOf(opened.quotas.refund(allowance, standing, late))).to.match(/deadline/);
    expect(await usedOf(allowance)).to.equal(1);
  });
});
