import { expect } from 'chai';
import { groupBy } from '../../src/domain/groups.ts';
import { runNemesis } from '../support/nemesis/run-nemesis.ts';
import type { TopologyName } from '../support/nemesis/world.ts';

/**
 * NEMESIS_SECONDS lengthens the runs, NEMESIS_SEED replays a schedule, NEMESIS_TOPOLOGY chooses
 * single, sentinel or cluster.
 */
const { NEMESIS_SECONDS = '10', NEMESIS_SEED = '1', NEMESIS_TOPOLOGY } = process.env;
const [seconds, seed] = [Number(NEMESIS_SECONDS), Number(NEMESIS_SEED)];

const topologies: readonly TopologyName[] = ['single', 'sentinel', 'cluster'];

describe('four gateways under faults', function () {
  this.timeout(seconds * 1_000 + 180_000);
  const say = (line: string): void => console.log(`      ${line}`);

  for (const topology of topologies.filter(
    (name) => NEMESIS_TOPOLOGY === undefined || name === NEMESIS_TOPOLOGY,
  )) {
    it(`grant exactly what the quotas allow, with Redis as ${topology}`, async () => {
      say(
        `NEMESIS_TOPOLOGY=${topology} NEMESIS_SEED=${seed} NEMESIS_SECONDS=${seconds} npm run nemesis`,
      );
      const { history, findings } = await runNemesis({ topology, seconds, seed, say });
      const outcomes = [...groupBy(history.exchanges, ({ outcome }) => outcome)];
      say(`${outcomes.map(([outcome, { length }]) => `${outcome} ${length}`).join(', ')}`);
      expect(history.exchanges.length).to.be.greaterThan(50 * seconds);
      expect(findings).to.deep.equal([]);
    });
  }

  it('are found to have a bug when one is planted: a limit four times as high', async () => {
    const options = { topology: 'single', seconds: 4, seed: 1, only: [], hasBug: true } as const;
    const { findings } = await runNemesis(options);
    const rules = new Set(findings.map(({ rule }) => rule));
    expect(rules).to.include.keys('over-granted', 'repeated unit', 'wrong count');
  });
});
