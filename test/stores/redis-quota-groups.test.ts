import { expect } from 'chai';
import type { Allowance } from '../../src/domain/caller.ts';
import { useCleanup } from '../support/cleanup.ts';
import {
  type RedisSentinel,
  startRedisCluster,
  startRedisSentinel,
} from '../support/redis-groups.ts';
import {
  inTwoSeconds,
  openReadyRedisQuotas,
  openTestRedisQuotas,
  type TestRedisQuotas,
  untilQuotasAnswer,
} from '../support/redis-quotas.ts';
import { createResharding } from '../support/redis-resharding.ts';
import { consumeOne } from '../support/stores/consume-one.ts';
import { rejectionOf, until } from '../support/wait.ts';

const allow = (subject: string, limit: number): Allowance => ({ subject, window: 'day', limit });

describe('Redis quotas in a cluster, of which one node is named', () => {
  const cleanup = useCleanup(after);

  it('grant exactly 121 of 180 at once while their slot moves, with one command each', async () => {
    const { url, servers } = await cleanup.start(startRedisCluster());
    const [named] = url.split(',');
    const opened = await openReadyRedisQuotas(`${named},${named}`);
    const { quotas, clock } = cleanup.add(opened, () => opened.quotas.close());
    const [, from, to] = servers;
    if (from === undefined || to === undefined) throw new Error('no nodes');
    const subject = 'organization:half-2'; // in a slot of the second node
    const slot = Number(await from.command('CLUSTER', 'KEYSLOT', `quota:${subject}`));
    expect(slot).to.be.within(5_461, 10_922);
    const resharding = createResharding(servers, from, to, slot, slot);
    const consumeBoth = () =>
      quotas.consume(
        [{ subject, window: 'hour', limit: 200 }, allow(subject, 122)],
        inTwoSeconds(clock),
      );
    const refusedCommands = async (): Promise<number> => {
      const told = await Promise.all(
        [from, to].map((server) => server.command('INFO', 'errorstats')),
      );
      return told.reduce(
        (sum: number, text) => sum + Number(/TRYAGAIN:count=(\d+)/.exec(String(text))?.[1] ?? 0),
        0,
      );
    };
    await consumeOne(quotas, allow(subject, 122), inTwoSeconds(clock));
    await resharding.begin();
    const statuses = await Promise.all(Array.from({ length: 180 }, consumeBoth));
    expect(statuses.filter((windows) => windows.every(({ granted }) => granted))).to.have.length(
      121,
    );
    const expectFull = async () => {
      const seen = (await consumeBoth()).map(({ granted, used }) => [granted, used]);
      expect(seen, 'the unit of the hour is given back').to.deep.equal([
        [true, 121],
        [false, 122],
      ]);
    };
    await expectFull();
    while ((await resharding.moveKeys()) > 0) await expectFull();
    await resharding.finish();
    await expectFull();
    expect(await refusedCommands()).to.equal(0);
  });
});

describe('Redis quotas behind Sentinel', () => {
  let group: RedisSentinel;
  let opened: TestRedisQuotas;
  const consume = (allowance: Allowance) =>
    consumeOne(opened.quotas, allowance, opened.clock.elapsed() + 250);

  const cleanup = useCleanup(afterEach);

  beforeEach(async () => {
    group = cleanup.add(await startRedisSentinel(), (started) => started.stop());
    opened = cleanup.add(openTestRedisQuotas(group.url), ({ quotas }) => quotas.close());
    await untilQuotasAnswer(opened.quotas, opened.clock);
  });

  it('follow the promoted primary, and keep the replicated counts', async () => {
    const allowance = allow('organization:a', 10);
    for (let times = 0; times < 6; times += 1) await consume(allowance);
    await until('the replica has the count', async () =>
      / 6$/.test(String(await group.replica.command('HGET', 'quota:organization:a', 'day'))),
    );
    await group.primary.kill();
    expect(await rejectionOf(consume(allowance))).to.be.a('string');
    await untilQuotasAnswer(opened.quotas, opened.clock, 20_000);
    const statuses = [];
    for (let times = 0; times < 8; times += 1) statuses.push(await consume(allowance));
    expect(statuses.filter(({ granted }) => granted)).to.have.length(4);
  });

  it('recover after all servers were down', async () => {
    await Promise.all(group.servers.map((server) => server.kill()));
    for (let times = 0; times < 3; times += 1)
      expect(await rejectionOf(consume(allow('organization:c', 10)))).to.be.a('string');
    for (const server of group.servers) await server.restart();
    await untilQuotasAnswer(opened.quotas, opened.clock, 20_000);
    expect(await consume(allow('organization:c', 10))).to.include({ granted: true });
  });
});
