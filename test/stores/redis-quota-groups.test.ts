import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Allowance } from '../../src/domain/caller.ts';
import { createCleanup } from '../support/cleanup.ts';
import {
  type RedisGroup,
  type RedisSentinelGroup,
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
import type { RedisServer } from '../support/redis-server.ts';
import { consumeOne } from '../support/stores/consume-one.ts';
import { rejectionOf, settlesWithin, until } from '../support/wait.ts';

const allow = (subject: string, limit: number): Allowance => ({ subject, window: 'day', limit });

/** Makes a user with the rights that the operator's guide gives to the gateway's, for a Cluster. */
const createUser = (server: RedisServer): Promise<unknown> => {
  const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, base, more] = /Redis user needs `([^`]+)`\. Add\s+`([^`]+)` for a Cluster/.exec(guide) ?? [];
  if (base === undefined || more === undefined) throw new Error('the guide names no rights');
  return server.command('ACL', 'SETUSER', 'gateway', 'on', '>secret', ...`${base} ${more}`.split(/\s+/));
};

describe("Redis quotas in a cluster, with the rights of the operator's guide", function () {
  this.timeout(40_000);
  let cluster: RedisGroup;
  let opened: TestRedisQuotas;
  const consume = (allowance: Allowance) => consumeOne(opened.quotas, allowance, inTwoSeconds(opened.clock));

  const cleanup = createCleanup();
  const open = async (url: string): Promise<TestRedisQuotas> =>
    cleanup.add(await openReadyRedisQuotas(url), ({ quotas }) => quotas.close());

  before(async () => {
    cluster = cleanup.add(await startRedisCluster(), (started) => started.stop());
    await Promise.all(cluster.servers.map(createUser));
    opened = await open(cluster.url.replace('redis://', 'redis://gateway:secret@'));
  });
  after(() => cleanup.run());

  it('are exact on every node, with all windows of a subject on one node', async () => {
    const subjects = Array.from({ length: 30 }, (_, index) => `organization:${index}`);
    const granted = await Promise.all(
      subjects.map(async (subject) => {
        const minute = await consume({ subject, window: 'hour', limit: 50 });
        const statuses = await Promise.all(Array.from({ length: 20 }, () => consume(allow(subject, 5))));
        return statuses.filter((status) => status.granted).length + (minute.granted ? 100 : 0);
      }),
    );
    expect(granted).to.deep.equal(subjects.map(() => 105));
    const keys = await Promise.all(cluster.servers.map((server) => server.command('KEYS', 'quota:*')));
    const perNode = keys.map((found) => (Array.isArray(found) ? found.map(String) : []));
    expect(perNode.flat()).to.have.length(60);
    for (const found of perNode) {
      expect(found).not.to.have.length(0);
      const tags = found.map((key) => key.slice(0, key.indexOf('}')));
      expect(tags.every((tag) => tags.filter((other) => other === tag).length === 2)).to.equal(true);
    }
  });

  it('discover the cluster from one node', async () => {
    const [first] = cluster.servers;
    const port = first?.port ?? 0;
    const other = await open(`redis://127.0.0.1:${port},redis://127.0.0.1:${port}`);
    for (let index = 0; index < 10; index += 1) {
      const allowance = allow(`organization:any-${index}`, 1);
      expect(await consumeOne(other.quotas, allowance, inTwoSeconds(other.clock))).to.include({
        granted: true,
        used: 1,
      });
      expect(await consume(allowance)).to.include({ granted: false, used: 1 });
    }
  });

  it('count both windows while their slot moves and one of them has no count yet', async () => {
    const [from, to] = cluster.servers;
    if (from === undefined || to === undefined) throw new Error('no nodes');
    const subjects = Array.from({ length: 12 }, (_, index) => `organization:moving-${index}`);
    const both = (subject: string): Allowance[] => [{ subject, window: 'hour', limit: 9 }, allow(subject, 3)];
    for (const subject of subjects) await consume(allow(subject, 3));
    const resharding = createResharding(cluster.servers, from, to, 0, 4_999);
    await resharding.begin();
    for (const [index, subject] of subjects.entries()) {
      const statuses = [];
      for (let times = 0; times < 4; times += 1)
        statuses.push(await opened.quotas.consume(both(subject), inTwoSeconds(opened.clock)));
      if (index === 5) await resharding.moveKeys();
      const seen = statuses.map(([hour, day]) => [hour?.granted, hour?.used, day?.granted, day?.used]);
      expect(seen, subject).to.deep.equal([
        [true, 1, true, 2],
        [true, 2, true, 3],
        [true, 2, false, 3],
        [true, 2, false, 3],
      ]);
    }
    while ((await resharding.moveKeys()) > 0);
    await resharding.finish();
  });

  it('grant exactly 120 of 180 at once in a slot that is left half moved, and know of it from the first request', async () => {
    const [, from, to] = cluster.servers;
    if (from === undefined || to === undefined) throw new Error('no nodes');
    const subject = 'organization:half-4'; // in a slot of the second node
    const slot = Number(await from.command('CLUSTER', 'KEYSLOT', `{${subject}}`));
    const resharding = createResharding(cluster.servers, from, to, slot, slot);
    const consumeBoth = () =>
      opened.quotas.consume([{ subject, window: 'hour', limit: 200 }, allow(subject, 122)], inTwoSeconds(opened.clock));
    const refusedCommands = async (): Promise<number> => {
      const told = await Promise.all([from, to].map((server) => server.command('INFO', 'errorstats')));
      return told.reduce((sum: number, text) => sum + Number(/TRYAGAIN:count=(\d+)/.exec(String(text))?.[1] ?? 0), 0);
    };
    await consume(allow(subject, 122));
    await resharding.begin();
    const before = await refusedCommands();
    await consumeBoth();
    expect(await refusedCommands()).to.equal(before + 1);
    const statuses = await Promise.all(Array.from({ length: 180 }, consumeBoth));
    expect(statuses.filter((windows) => windows.every(({ granted }) => granted))).to.have.length(120);
    expect(await refusedCommands()).to.equal(before + 1);
    while ((await resharding.moveKeys()) > 0);
    await resharding.finish();
  });

  // The slots of the test before: from the second node to the third, and on to the first.
  for (const [what, places, begin, end] of [
    ['is paused', [1, 2], (node: RedisServer) => node.pause(), (node: RedisServer) => node.resume()],
    [
      'has crashed',
      [2, 0],
      (node: RedisServer) => node.kill(),
      (node: RedisServer) => node.restart().then(() => createUser(node)),
    ],
  ] as const)
    it(`reject at their deadline while the node that takes slots over ${what}, and recover`, async () => {
      const [from, to] = places.map((place) => cluster.servers[place]);
      if (from === undefined || to === undefined) throw new Error('no nodes');
      const subjects = Array.from({ length: 12 }, (_, index) => `organization:${what}-${index}`);
      const consumeAll = () =>
        Promise.allSettled(
          subjects.map((subject) => consumeOne(opened.quotas, allow(subject, 9_999), opened.clock.elapsed() + 250)),
        );
      await consumeAll();
      const resharding = createResharding(cluster.servers, from, to, 0, 4_999);
      await resharding.begin();
      await resharding.moveKeys();
      await begin(to);
      const until3s = opened.clock.elapsed() + 3_000; // long enough for the other nodes to notice
      while (opened.clock.elapsed() < until3s) {
        const outcomes = consumeAll();
        expect(await settlesWithin(400, outcomes)).to.equal(true);
        expect((await outcomes).some(({ status }) => status === 'rejected')).to.equal(true);
        await sleep(50);
      }
      await end(to);
      const isAnswered = async () => (await consumeAll()).every(({ status }) => status === 'fulfilled');
      await until('all nodes answer', isAnswered, 15_000);
      while ((await resharding.moveKeys()) > 0);
      await resharding.finish();
    });
});

describe('Redis quotas behind Sentinel', function () {
  this.timeout(60_000);
  let group: RedisSentinelGroup;
  let opened: TestRedisQuotas;
  const consume = (allowance: Allowance) => consumeOne(opened.quotas, allowance, opened.clock.elapsed() + 250);

  const cleanup = createCleanup();

  beforeEach(async () => {
    group = cleanup.add(await startRedisSentinel(), (started) => started.stop());
    opened = cleanup.add(openTestRedisQuotas(group.url), ({ quotas }) => quotas.close());
    await untilQuotasAnswer(opened.quotas, opened.clock);
  });
  afterEach(() => cleanup.run());

  it('follow the promoted primary, and keep the replicated counts', async () => {
    const allowance = allow('organization:a', 10);
    for (let times = 0; times < 6; times += 1) await consume(allowance);
    await until(
      'the replica has the count',
      async () => (await group.replica.command('GET', 'quota:{organization:a}:day')) === '6',
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
    expect(await rejectionOf(consume(allow('organization:c', 10)))).to.be.a('string');
    await sleep(1_500);
    for (const server of group.servers) await server.restart();
    await untilQuotasAnswer(opened.quotas, opened.clock, 20_000);
    expect(await consume(allow('organization:c', 10))).to.include({ granted: true });
  });
});
