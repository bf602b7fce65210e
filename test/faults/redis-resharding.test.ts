import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { expectOnlyOutages, isServed } from '../support/faults/quotas.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type Load, startLoad } from '../support/load.ts';
import { keyOf, type NemesisPartner, writePartners } from '../support/nemesis/partners.ts';
import { type RedisCluster, startRedisCluster } from '../support/redis-groups.ts';
import { createResharding, type Resharding } from '../support/redis-resharding.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=3';

/** Partners with a quota that no test reaches. */
const partners = Array.from({ length: 24 }, (_, index): NemesisPartner => {
  const quota = { per_minute: 100_000, per_day: 1_000_000 };
  return { name: `load${String(index).padStart(3, '0')}`, form: 'current', quota, paths: [list] };
});
const keys = partners.map(keyOf);

/**
 * Most slots of the first of three nodes. (A node that gives away all of them becomes a replica.)
 */
const lastSlot = 4_999;

/** The rights that the operator's guide gives to the gateway's Redis user, for a Cluster. */
const documentedRights = (): string[] => {
  const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, base, more] =
    /Redis user needs `([^`]+)`\. Add\s+`([^`]+)` for a Cluster/.exec(guide) ?? [];
  if (base === undefined || more === undefined) throw new Error('the guide names no rights');
  return `${base} ${more}`.split(/\s+/);
};

const createUser = (server: RedisServer): Promise<unknown> =>
  server.command('ACL', 'SETUSER', 'gateway', 'on', '>secret', ...documentedRights());

describe('resharding of a Redis Cluster: the gateway', () => {
  const cleanup = useCleanup(afterEach);
  let cluster: RedisCluster;
  let gateway: GatewayProcess;
  let from: RedisServer;
  let to: RedisServer;
  let resharding: Resharding;
  let load: Load;

  beforeEach(async () => {
    cluster = await cleanup.start(startRedisCluster());
    await Promise.all(cluster.servers.map(createUser));
    const [first, second] = cluster.servers;
    if (first === undefined || second === undefined) throw new Error('no nodes');
    from = first;
    to = second;
    resharding = createResharding(cluster.servers, from, to, 0, lastSlot);
    const KEYS_DIR = await cleanup.makeFolder('partners');
    await writePartners(KEYS_DIR, partners);
    const REDIS_URL = cluster.url.replace('redis://', 'redis://gateway:secret@');
    const settings = { REDIS_URL, KEYS_DIR, STORE_TIMEOUT_MS: '500' };
    gateway = await cleanup.start(startGatewayProcess(settings));
    await untilAllAreServed();
    let next = 0;
    const ask = () => gateway.get(list, keys[next++ % keys.length]);
    load = cleanup.add(startLoad(ask, 5), ({ stop }) => stop());
  });

  /** Waits until a request of every organization is served. */
  const untilAllAreServed = (): Promise<void> =>
    until('every organization is served', async () => {
      const answers = await Promise.all(keys.map((key) => gateway.get(list, key)));
      return answers.every(({ status }) => status === 200);
    });

  const moveAndFinish = async (): Promise<void> => {
    while ((await resharding.moveKeys()) > 0);
    await resharding.finish();
    await untilAllAreServed();
  };

  /** Stops the load; no answer was anything but 200 or 503, and the process still runs. */
  const expectSurvived = async (): Promise<void> => {
    const samples = await load.stop();
    expect(gateway.isAlive(), gateway.lines.slice(-5).join('\n')).to.equal(true);
    expectOnlyOutages(samples);
    expect(gateway.hasLogged('uncaught')).to.equal(false);
  };

  for (const [what, begin, end] of [
    ['is frozen', async () => to.pause(), async () => to.resume()],
    ['has crashed', () => to.kill(), () => to.restart().then(() => createUser(to))],
  ] as const)
    it(`answers 503 while the node that takes the slots ${what}, and recovers`, async () => {
      await resharding.begin();
      await resharding.moveKeys();
      await wait(500);
      await begin();
      await wait(4_000);
      expect(load.samples.slice(-50).every(isServed)).to.equal(false);
      await load.answered();
      await end();
      await untilAllAreServed();
      await moveAndFinish();
      await expectSurvived();
    });
});
