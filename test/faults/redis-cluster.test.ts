import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { expectOnlyOutages, isServed } from '../support/faults/quotas.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { startLoad } from '../support/load.ts';
import { createPartner, keyOf, writePartners } from '../support/nemesis/partners.ts';
import { createSettableClock } from '../support/nemesis/settable-clock.ts';
import { createResharding, startRedisCluster } from '../support/redis-groups.ts';
import { consumeOne, inTwoSeconds, openReadyRedisQuotas } from '../support/redis-quotas.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=3';

/** Partners with a quota that no test reaches. */
const partners = Array.from({ length: 24 }, (_, index) =>
  createPartner(`load${index + 100}`, { minute: 100_000, day: 1_000_000 }),
);
const keys = partners.map(keyOf);

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

describe('a Redis Cluster: the gateway', () => {
  const cleanup = useCleanup(afterEach);

  it('returns 503 while the node that receives slots is frozen or down, and recovers', async () => {
    const cluster = await cleanup.start(startRedisCluster());
    await Promise.all(cluster.servers.map(createUser));
    const KEYS_DIR = await cleanup.makeFolder('partners');
    await writePartners(KEYS_DIR, partners);
    const REDIS_URL = cluster.url.replace('redis://', 'redis://gateway:secret@');
    const settings = { REDIS_URL, KEYS_DIR, STORE_TIMEOUT_MS: '500' };
    const gateway = await cleanup.start(startGatewayProcess(settings));
    const untilAllAreServed = (): Promise<void> =>
      until('every organization is served', async () => {
        const answers = await Promise.all(keys.map((key) => gateway.get(list, key)));
        return answers.every(({ status }) => status === 200);
      });
    await untilAllAreServed();
    let next = 0;
    const ask = () => gateway.get(list, keys[next++ % keys.length]);
    const [one, two, three] = cluster.servers;
    for (const [from, to, begin, end] of [
      [one, two, () => two.pause(), () => two.resume()],
      [two, one, () => one.kill(), () => one.restart().then(() => createUser(one))],
    ] as const) {
      const resharding = createResharding(from, to, [three]);
      const load = await cleanup.start(startLoad(ask, 5));
      await resharding.begin();
      await resharding.moveKeys();
      await load.more(50);
      await begin();
      await until('some are refused', () => !load.samples.slice(-50).every(isServed));
      await load.answered();
      await end();
      await untilAllAreServed();
      while ((await resharding.moveKeys()) > 0);
      await resharding.finish();
      await untilAllAreServed();
      expectOnlyOutages(await load.stop());
      expect(gateway.isAlive(), gateway.lines.slice(-5).join('\n')).to.equal(true);
    }
    expect(gateway.hasLogged('uncaught')).to.equal(false);
  });

  it('counts on a node with a wrong clock, which `doctor` and the log name', async () => {
    const clock = createSettableClock(await cleanup.makeFolder('clock'), 'node');
    const { url } = await cleanup.start(startRedisCluster(clock.environment));
    const allowances = Array.from(
      { length: 30 },
      (_, index) => ({ subject: `organization:o${index}`, window: 'day', limit: 9 }) as const,
    );
    for (const [seconds, judged] of [
      [25, /^fail: 2[45]\.\d s ahead of this machine \(127\.0\.0\.1:\d+\)/],
      [-3, /^fail: [2-4]\.\d s behind/],
    ] as const) {
      clock.set(seconds);
      const [named] = url.split(',');
      const opened = await openReadyRedisQuotas(`${named},${named}`, undefined, 2_000);
      const { quotas, log } = cleanup.add(opened, () => opened.quotas.close());
      const deadline = () => inTwoSeconds(opened.clock);
      await until('each node is connected', async () => {
        const reads = allowances.map((allowance) => quotas.read(allowance, deadline()));
        const outcomes = await Promise.allSettled(reads);
        return outcomes.every(({ status }) => status === 'fulfilled');
      });
      for (const allowance of allowances)
        expect((await consumeOne(quotas, allowance, deadline())).granted).to.equal(true);
      expect(quotas.probeSubjects?.(), 'one for each primary').to.have.length(3);
      const find = () => log.entries.find(({ event }) => event === 'clocks differ');
      await until('the log names the node', () => find() !== undefined);
      expect(Object(find()?.facts).node).to.match(/^127\.0\.0\.1:\d+$/);
      expect((await examine({ REDIS_URL: url })).get('redis clock')).to.match(judged);
    }
  });
});
