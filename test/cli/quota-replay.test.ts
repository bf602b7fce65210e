import { expect } from 'chai';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { keyIdIn } from '../../src/keys/key-format.ts';
import type { GroupReport } from '../../tools/cli/quota/replay.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { hourTotal } from '../support/usage.ts';

const dayMs = 86_400_000;
/** Two days ago at 12:00, so that all minutes are of days that are over. */
const noon = Math.floor(Date.now() / dayMs) * dayMs - 1.5 * dayMs;

describe('quota replay', () => {
  const world = useOperatorEnvironment();
  const ids = { board: '', app: '', radio: '', trying: '' };
  /** Stores requests of a key, by minutes after noon. */
  const store = (id: string, minutes: Parameters<typeof hourTotal>[0], organizationId = 'acme') =>
    createMongoUsage(world.db).write({
      days: [],
      hours: [hourTotal(minutes, { id: `of ${id}`, keyId: id, organizationId, hour: noon })],
    });

  before(async () => {
    for (const id of ['acme', 'trying']) await world.done(`organizations set ${id} --name ${id}`);
    ids.board = (await world.issue('current')).id;
    ids.app = (await world.issue('current')).id;
    ids.radio = (await world.issue('variant')).id;
    const issue = `keys issue --organization trying --form variant --partner P`;
    ids.trying = keyIdIn((await world.done(issue)).trim()) ?? '';
    await world.done(`keys pin ${ids.trying} --form current --for 30m --reason trial`);
    await store(ids.board, { 0: [8, 0], 1: [3, 0] });
    await store(ids.app, { 0: [5, 0], 2: [20, 0] });
    await store(ids.radio, { 5: [90, 0] });
    await store(ids.trying, { 0: [25, 0] }, 'trying');
  });

  const replayed = (words: string) => world.json<readonly GroupReport[]>(`quota replay ${words}`);
  const windows = async (words: string): Promise<readonly string[]> =>
    (await replayed(words)).flatMap(({ subject, refusals }) =>
      refusals.map(
        (one) => `${subject} ${one.limit} a ${one.window}: ${one.requests}, ${one.enough}`,
      ),
    );

  it('returns the requests that limits refuse, and the least limits that refuse none', async () => {
    const { radio, trying } = ids;
    for (const [words, ...expected] of [
      [
        'acme',
        'organization:acme 10 a minute: 13, 20',
        'organization:acme 1000 a day: 0, 36',
        `key:${radio} 100 a hour: 0, 90`,
      ],
      [
        'acme --per-minute 15 --per-day 30 --days 3',
        'organization:acme 15 a minute: 0, 20',
        'organization:acme 30 a day: 6, 36',
      ],
      // windows that its form does not have
      [
        `${radio} --per-day 80 --per-minute 85`,
        `key:${radio} 85 a minute: 0, 90`,
        `key:${radio} 80 a day: 10, 90`,
      ],
      // in a trial, in the form of the trial
      [
        'trying --per-minute 20',
        'organization:trying 20 a minute: 5, 25',
        'organization:trying 1000 a day: 0, 25',
      ],
      [trying, `key:${trying} 10 a minute: 15, 25`, `key:${trying} 1000 a day: 0, 25`],
    ] as const)
      expect(await windows(words), words).to.deep.equal(expected);
    const [enough] = await replayed('acme --per-minute 20 --per-day 36');
    expect(enough?.would_refuse).to.equal(0);
    expect(await world.done('quota replay acme --per-minute 15')).to.match(
      /limit needed\n15 a minute\t5\t/,
    );
  });

  it('returns the keys of the worst windows, with the most requests first', async () => {
    const [report] = await replayed('acme');
    const worst = report?.refusals[0]?.worst.map(({ asked, keys }) => ({ asked, keys }));
    const two = [
      { key: ids.board, asked: 8 },
      { key: ids.app, asked: 5 },
    ];
    expect(worst).to.deep.equal([
      { asked: 20, keys: [{ key: ids.app, asked: 20 }] },
      { asked: 13, keys: two },
    ]);
    expect(await world.done('quota replay acme --wide')).to.include(
      `\t13\t3\t${ids.board} 8, ${ids.app} 5`,
    );
  });
});
