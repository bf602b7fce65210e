import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { expectOnlyOutages, isServed } from '../support/faults/quotas.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { startLoad } from '../support/load.ts';
import { keyOf, type NemesisPartner, writePartners } from '../support/nemesis/partners.ts';
import { type RedisCluster, startRedisCluster } from '../support/redis-groups.ts';
import { createResharding } from '../support/redis-resharding.ts';
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

type Fault = readonly [
  what: string,
  /** The node that gives away its slots, of the first two. */
  from: 0 | 1,
  begin: (to: RedisServer) => unknown,
  end: (to: RedisServer) => unknown,
];

describe('resharding of a Redis Cluster: the gateway', () => {
  const cleanup = useCleanup(after);
  let cluster: RedisCluster;
  let gateway: GatewayProcess;

  before(async () => {
    cluster = await cleanup.start(startRedisCluster());
    await Promise.all(cluster.servers.map(createUser));
    const KEYS_DIR = await cleanup.makeFolder('partners');
    await writePartners(KEYS_DIR, partners);
    const REDIS_URL = cluster.url.replace('redis://', 'redis://gateway:secret@');
    const settings = { REDIS_URL, KEYS_DIR, STORE_TIMEOUT_MS: '500' };
    gateway = await cleanup.start(startGatewayProcess(settings));
    await untilAllAreServed();
  });

  /** Waits until a request of every organization is served. */
  const untilAllAreServed = (): Promise<void> =>
    until('every organization is served', async () => {
      const answers = await Promise.all(keys.map((key) => gateway.get(list, key)));
      return answers.every(({ status }) => status === 200);
    });

  for (const [what, first, begin, end] of [
    ['is frozen', 0, (to) => to.pause(), (to) => to.resume()],
    ['has crashed', 1, (to) => to.kill(), (to) => to.restart().then(() => createUser(to))],
  ] as const satisfies readonly Fault[])
    it(`answers 503 while the node that takes the slots ${what}, and recovers`, async () => {
      const [from, to] = [cluster.servers[first], cluster.servers[1 - first]];
      if (from === undefined || to === undefined) throw new Error('no nodes');
      const resharding = createResharding(cluster.servers, from, to, 0, lastSlot);
      let next = 0;
      const ask = () => gateway.get(list, keys[next++ % keys.length]);
      const load = cleanup.add(startLoad(ask, 5), ({ stop }) => stop());
      await resharding.begin();
      await resharding.moveKeys();
      await until('requests are served', () => load.samples.length > 50);
      await begin(to);
      await until('some are refused', () => !load.samples.slice(-50).every(isServed));
      await load.answered();
      await end(to);
      await untilAllAreServed();
      while ((await resharding.moveKeys()) > 0);
      await resharding.finish();
      await untilAllAreServed();
      const samples = await load.stop();
      expect(gateway.isAlive(), gateway.lines.slice(-5).join('\n')).to.equal(true);
      expectOnlyOutages(samples);
      expect(gateway.hasLogged('uncaught')).to.equal(false);
    });
});
