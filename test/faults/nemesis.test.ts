import { expect } from 'chai';
import type { Finding } from '../support/nemesis/history.ts';
import { runNemesis } from '../support/nemesis/run-nemesis.ts';
import { summarize } from '../support/nemesis/summary.ts';
import type { Plant, TopologyName } from '../support/nemesis/world.ts';

/** NEMESIS_SECONDS lengthens the runs, NEMESIS_SEED replays a schedule. */
const seconds = Number(process.env['NEMESIS_SECONDS'] ?? 10);
const seed = Number(process.env['NEMESIS_SEED'] ?? 1);

const topologies: readonly TopologyName[] = ['single', 'sentinel', 'cluster'];

const plants: readonly (readonly [Plant, readonly string[], readonly Finding['rule'][]])[] = [
  ['double refund', [], ['wrong count']],
  ['late window', [], ['wrong window']],
  ['other limit', [], ['over-granted', 'repeated unit', 'wrong count']],
  ['fail-open', ['freeze'], ['fail-open']],
];

describe('four gateways under faults', function () {
  this.timeout(seconds * 1_000 + 180_000);

  for (const topology of topologies) {
    it(`grant exactly what the quotas allow, with Redis as ${topology}`, async () => {
      console.log(`      NEMESIS_TOPOLOGY=${topology} NEMESIS_SEED=${seed} NEMESIS_SECONDS=${seconds} npm run nemesis`);
      const say = (line: string): void => console.log(`      ${line}`);
      const result = await runNemesis({ topology, seconds, seed, say });
      for (const line of summarize(result)) say(line);
      expect(result.history.exchanges.length).to.be.greaterThan(50 * seconds);
      expect(result.verdict.findings).to.deep.equal([]);
    });
  }

  for (const [plant, only, rules] of plants) {
    it(`are found to have a bug when one is planted: ${plant}`, async () => {
      const { verdict } = await runNemesis({ topology: 'single', seconds: 4, seed: 1, only, plant });
      const found = [...new Set(verdict.findings.map(({ rule }) => rule))];
      expect(found).to.include.members([...rules]);
    });
  }
});
