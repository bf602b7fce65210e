import { expect } from 'chai';
import fc from 'fast-check';
import { growthOf } from '../../src/catalogue/growth.ts';
import { createSpikeFinder } from '../../src/catalogue/spikes.ts';
import { addDays } from '../../src/domain/day.ts';
import type { HistoryPoint } from '../../src/domain/model.ts';
import { buildListedArtist, buildPoint, buildSeries } from '../support/builders.ts';
import { countTurns } from '../support/wait.ts';

const today = '2026-08-22';
const settings = { floor: 1000, thresholdPercent: 20 };

const find = async (points: readonly HistoryPoint[], days = 3, given = settings) => {
  const artists = [buildListedArtist({}, [buildSeries({ points })])];
  return (await createSpikeFinder(given)(artists, days, today)).spikes;
};

/** Growth by 50 % from one day to another. */
const grow = (from: string, to: string) => [buildPoint(from, 2000), buildPoint(to, 3000)];

const open = { floor: 0, thresholdPercent: 0 };

/** Previous and current values with settings, and whether they are a spike. */
const amounts = [
  ['growth of exactly the threshold', 2000, 2400, settings, true],
  [
    'growth of exactly a decimal threshold',
    3000,
    3033,
    { ...settings, thresholdPercent: 1.1 },
    true,
  ],
  ['a start at exactly the floor', 1000, 2000, settings, true],
  ['a start just under the floor', 999.99, 2000, settings, false],
  ['a start at zero without a floor', 0, 5000, open, false],
  ['a start below zero without a floor', -5, 5000, open, false],
  ['growth beyond any number', 1e-300, 1e10, { ...open, thresholdPercent: 20 }, false],
] as const;

describe('spikes', () => {
  for (const [name, previous, current, given, found] of amounts) {
    it(`${found ? 'include' : 'exclude'} ${name}`, async () => {
      const points = [buildPoint('2026-08-19', previous), buildPoint('2026-08-22', current)];
      expect(await find(points, 3, given)).to.have.lengthOf(found ? 1 : 0);
    });
  }

  for (const flag of ['estimated', 'stale', 'terminal'] as const)
    it(`are found if a point of the far future is ${flag}`, async () => {
      const ahead = { ...buildPoint('2062-01-01', 7), [flag]: true };
      expect(await find([...grow('2026-08-19', '2026-08-22'), ahead])).to.have.lengthOf(1);
    });

  it('have an exact delta and percentage beyond the decimals below', () => {
    for (const [current, previous, delta, percentChange] of [
      [9_007_199_254_740_991, 9_007_199_254_740_989, 2, 0],
      [1e-7, 3e-8, 7e-8, 233.33],
      [7_505_999_378_950_825, 1000, 7_505_999_378_949_825, 750_599_937_894_982.5],
    ] as const)
      expect(growthOf(previous, current, 0)).to.deep.equal({ delta, percentChange });
  });

  it('have an exact delta, percentage and threshold for any decimals, rounded half up', () => {
    const decimal = fc.tuple(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 0, max: 4 }));
    fc.assert(
      fc.property(
        decimal,
        decimal,
        fc.integer({ min: 0, max: 50 }),
        ([a, aPlaces], [b, bPlaces], threshold) => {
          const [to, from] = [
            BigInt(a) * 10n ** BigInt(4 - aPlaces),
            BigInt(b) * 10n ** BigInt(4 - bPlaces),
          ];
          const growth = growthOf(
            Number(`${b}e-${bPlaces}`),
            Number(`${a}e-${aPlaces}`),
            threshold,
          );
          const isReached = to > from && (to - from) * 100n >= BigInt(threshold) * from;
          const hundredths = ((to - from) * 20_000n + from) / (2n * from);
          const expected = {
            delta: Number(`${to - from}e-4`),
            percentChange: Number(`${hundredths}e-2`),
          };
          expect(growth).to.deep.equal(isReached ? expected : undefined);
        },
      ),
    );
  });

  it('count back from the latest point up to today, not tomorrow', async () => {
    const points = [...grow('2026-08-19', today), buildPoint(addDays(today, 1), 4000)];
    const [spike] = await find(points);
    expect(spike).to.deep.include({
      previous: 2000,
      current: 3000,
      window: { days: 3, from: '2026-08-19', to: today },
    });
  });

  it('are computed once for a shortlist, day and window, and kept for eight of them', async () => {
    const build = (id: string, days: number) =>
      buildListedArtist({ id }, [buildSeries({ points: grow(addDays(today, -days), today) })]);
    const shortlist = [build('a', 3), build('b', 9)];
    const finder = createSpikeFinder(settings);
    const questions = [3, 9].flatMap((days) =>
      [today, addDays(today, 3)].map((day) => ({ days, day })),
    );
    const findAll = () =>
      Promise.all(questions.map(({ days, day }) => finder(shortlist, days, day)));
    const lists = await findAll();
    expect(lists.map(({ spikes }) => spikes.map(({ artistId }) => artistId))).to.deep.equal([
      ['a'],
      [],
      ['b'],
      [],
    ]);
    for (const [index, { spikes }] of (await findAll()).entries())
      expect(spikes).to.equal(lists[index]?.spikes);
    for (let days = 10; days < 18; days++) await finder(shortlist, days, today);
    for (const [index, { spikes }] of (await findAll()).entries())
      expect(spikes).to.not.equal(lists[index]?.spikes);
  });

  it('are found in turns of the event loop', async () => {
    const points = grow('2026-08-19', '2026-08-22');
    const artists = Array.from({ length: 300 }, (_, index) =>
      buildListedArtist({ id: `a${index}` }, [buildSeries({ points })]),
    );
    const finder = createSpikeFinder(settings);
    expect(await countTurns(() => finder(artists, 3, today))).to.be.at.least(3);
    expect((await finder(artists, 3, today)).spikes).to.have.lengthOf(300);
  });
});
