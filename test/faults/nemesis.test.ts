import { expect } from 'chai';
import { groupBy } from '../../src/domain/groups.ts';
import { checkHistory } from '../support/nemesis/check-history.ts';
import { runNemesis } from '../support/nemesis/run-nemesis.ts';
import { type TopologyName, topologies } from '../support/nemesis/topologies.ts';

/**
 * NEMESIS_SECONDS lengthens the runs, NEMESIS_SEED replays a schedule, NEMESIS_TOPOLOGY chooses
 * single, sentinel or cluster.
 */
const { NEMESIS_SECONDS = '10', NEMESIS_SEED = '1', NEMESIS_TOPOLOGY } = process.env;
const [seconds, seed] = [Number(NEMESIS_SECONDS), Number(NEMESIS_SEED)];

describe('four gateways under faults', function () {
  this.timeout(seconds * 1_000 + 180_000);
  const say = (line: string): void => console.log(`      ${line}`);

  // Cast: the names of its members.
  const names = Object.keys(topologies) as TopologyName[];
  for (const topology of names.filter((name) => (NEMESIS_TOPOLOGY ?? name) === name)) {
    it(`grant exactly what the quotas allow, with Redis as ${topology}`, async () => {
      say(
        `NEMESIS_TOPOLOGY=${topology} NEMESIS_SEED=${seed} NEMESIS_SECONDS=${seconds} npm run nemesis`,
      );
      const { history, findings } = await runNemesis({ topology, seconds, seed, say });
      const outcomes = [...groupBy(history.exchanges, ({ outcome }) => outcome)];
      say(`${outcomes.map(([outcome, { length }]) => `${outcome} ${length}`).join(', ')}`);
      expect(history.exchanges.length).to.be.greaterThan(50 * seconds);
      expect(findings).to.deep.equal([]);
      if (topology !== 'single') return; // others may lose more than a planted bug grants
      const [tight = ''] = Object.keys(history.limits);
      const limits = { ...history.limits, [tight]: { minute: 2, day: 1_000 } };
      const found = checkHistory({ ...history, limits }).map(({ rule }) => rule);
      expect(found, 'of gateways that grant five times the limit').to.include('over-granted');
    });
  }
});
