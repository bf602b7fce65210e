import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { createSettableClock } from '../support/nemesis/settable-clock.ts';
import { freePort } from '../support/ports.ts';
import { joinCluster } from '../support/redis-groups.ts';
import { consumeOne, inTwoSeconds, openReadyRedisQuotas } from '../support/redis-quotas.ts';
import { startRedisProcess } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

describe('a Cluster of which one node has another clock', () => {
  const cleanup = useCleanup(afterEach);

  /** Starts it; the clock of the last node is this many seconds ahead of the others. */
  const startSkewedCluster = async (seconds: number): Promise<string> => {
    const clock = createSettableClock(await cleanup.makeFolder('clock'), 'node');
    clock.set(seconds);
    const startNode = async (environment = {}) => {
      const [port, bus] = [await freePort(), await freePort()];
      const listening = ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
      const clustered = ['--cluster-enabled', 'yes', '--cluster-port', String(bus)];
      const args = [...listening, ...clustered];
      const start = startRedisProcess(port, args, undefined, environment);
      return { server: await cleanup.start(start), bus };
    };
    const nodes = [await startNode(), await startNode(), await startNode(clock.environment)];
    await joinCluster(nodes);
    return `redis://${nodes.map(({ server }) => `127.0.0.1:${server.port}`).join(',')}`;
  };

  for (const seconds of [25, -3])
    it(`counts on every node when it is ${seconds} s ahead, and \`doctor\` and the log name it`, async () => {
      const url = await startSkewedCluster(seconds);
      const opened = await openReadyRedisQuotas(url, undefined, 2_000);
      const { quotas, clock, log } = cleanup.add(opened, () => opened.quotas.close());
      const allowances = Array.from(
        { length: 30 },
        (_, index) => ({ subject: `organization:o${index}`, window: 'day', limit: 9 }) as const,
      );
      await until('each node is connected', async () => {
        const reads = allowances.map((allowance) => quotas.read(allowance, inTwoSeconds(clock)));
        const outcomes = await Promise.allSettled(reads);
        return outcomes.every(({ status }) => status === 'fulfilled');
      });
      for (const allowance of allowances) {
        const { granted } = await consumeOne(quotas, allowance, inTwoSeconds(clock));
        expect(granted, allowance.subject).to.equal(true);
      }
      expect(quotas.probeSubjects?.(), 'one for each primary').to.have.length(3);
      const find = () => log.entries.find(({ event }) => event === 'clocks differ');
      await until('the log names the node', () => find() !== undefined);
      const logged = find();
      expect(Object(logged?.facts).node).to.match(/^127\.0\.0\.1:\d+$/);
      expect((await examine({ REDIS_URL: url })).get('redis clock')).to.match(
        seconds > 0
          ? /^fail: 2[45]\.\d s ahead of this machine \(127\.0\.0\.1:\d+\)/
          : /^fail: [2-4]\.\d s behind/,
      );
    });
});
