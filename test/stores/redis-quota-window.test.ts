import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readRedisUrl } from '../../adapters/stores/redis/address.ts';
import { openRedis, type RedisClient } from '../../adapters/stores/redis/connection.ts';
import {
  type CountedWindow,
  countsKeyOf,
  createUnitCounter,
} from '../../adapters/stores/redis/limiter.ts';
import { lateError } from '../../adapters/stores/redis/window.lua.ts';
import { useCleanup } from '../support/cleanup.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { rejectionOf, until } from '../support/wait.ts';

// Quota windows last at least a minute. The script takes any length, so these tests use windows of
// a second, through the command that the store uses. Redis runs on this machine and so shares its
// clock.
describe('Redis quota script at window boundaries', () => {
  const limit = 10;
  const windows: readonly CountedWindow[] = [['second', limit, 1]];
  const cleanup = useCleanup(after);
  let client: RedisClient;
  let countUnits: ReturnType<typeof createUnitCounter>;

  before(async () => {
    const server = cleanup.add(await startRedisServer(), (started) => started.stop());
    client = cleanup.add(openRedis(readRedisUrl(server.url()), 5_000), (opened) => opened.quit());
    await until('Redis is ready', async () => client.status === 'ready');
    countUnits = createUnitCounter(client);
  });

  const inOneSecond = () => ({ windows, moment: Date.now() + 1_000 });
  const countsOf = async (subject: string, points: 1 | 0) => {
    const { full, reply } = await countUnits(subject, points, inOneSecond());
    const [now, used = Number.NaN, end = Number.NaN] = reply;
    return { granted: full === 0, used, msLeft: end - now };
  };
  const consume = (subject: string) => countsOf(subject, 1);
  const read = (subject: string) => countsOf(subject, 0);
  /** Waits for the start of a window, and returns its end. */
  const untilWindowBegins = async (): Promise<number> => {
    const { msLeft } = await read('probe');
    await sleep(msLeft + 5);
    return Math.ceil(Date.now() / 1000) * 1000;
  };

  it('grants exactly the limit in every window under constant load', async () => {
    const granted: number[] = [];
    let calls = 0;
    const end = (await untilWindowBegins()) + 2_500;
    const worker = async (): Promise<void> => {
      while (Date.now() < end) {
        calls += 1;
        const { granted: isGranted, used } = await consume('organization:a');
        if (isGranted) granted.push(used);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(calls).to.be.greaterThan(1_000);
    const oneWindow = Array.from({ length: limit }, (_, index) => index + 1);
    expect(granted).to.deep.equal([1, 2, 3, 4].flatMap(() => oneWindow));
  });

  it('returns the milliseconds to the end of the window', async () => {
    const end = await untilWindowBegins();
    const before = Date.now();
    const { msLeft } = await consume('organization:b');
    expect(end - msLeft).to.be.within(before - 1, Date.now() + 1);
  });

  it('refuses by a full count without an expiry until its window ends, and no longer', async () => {
    const subject = 'organization:e';
    const end = await untilWindowBegins();
    await client.hset(countsKeyOf(subject), 'second', `${end} ${limit}`);
    expect((await consume(subject)).granted).to.equal(false);
    const next = await untilWindowBegins();
    expect(await consume(subject)).to.include({ granted: true, used: 1 });
    expect(await client.pexpiretime(countsKeyOf(subject))).to.equal(next);
  });

  it('refuses a deadline that has passed, and one too far ahead to be one', async () => {
    const subject = 'organization:d';
    for (const moment of [1, Date.now() - 1, Date.now() + 60_000, 8_999_999_999_999]) {
      expect(await rejectionOf(countUnits(subject, 1, { windows, moment }))).to.match(
        new RegExp(lateError),
      );
    }
    expect(await client.exists(countsKeyOf(subject))).to.equal(0);
  });

  it('judges each window by its own boundary', async () => {
    await untilWindowBegins();
    const both: readonly CountedWindow[] = [...windows, ['ten seconds', 100, 10]];
    const deadline = () => ({ windows: both, moment: Date.now() + 1_000 });
    const counted = () => countUnits('organization:f', 1, deadline());
    for (let times = 0; times < 3; times += 1) await counted();
    await untilWindowBegins();
    const last = await counted();
    const [now, used, , usedOfTen, end = Number.NaN] = last.reply;
    expect(used).to.equal(1);
    expect(usedOfTen).to.equal(end - now > 9_000 ? 1 : 4);
  });
});
