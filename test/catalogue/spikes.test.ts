import { expect } from 'chai';
import fc from 'fast-check';
import { growthOf } from '../../src/catalogue/growth.ts';
import { engine } from '../../src/catalogue/movements.ts';
import { createSpikeFinder } from '../../src/catalogue/spikes.ts';
import { addDays } from '../../src/domain/day.ts';
import type { HistoryPoint } from '../../src/domain/model.ts';
import type { ListedArtist } from '../../src/ports.ts';
import { buildListedArtist, buildPoint, buildSeries } from '../support/builders.ts';

const today = '2026-08-22';
const settings = { floor: 1000, thresholdPercent: 20 };

const findIn = async (
  artists: readonly ListedArtist[],
  days = 3,
  day = today,
  finder = createSpikeFinder(settings),
) => {
  const spikes = await finder.find(artists, days, day);
  return spikes.slice(0, spikes.length);
};

const find = (points: readonly HistoryPoint[], days = 3, given = settings) =>
  findIn([buildListedArtist({}, [buildSeries({ points })])], days, today, createSpikeFinder(given));

/** Growth by 50 % from one day to another. */
const grow = (from: string, to: string, flags: readonly [Partial<HistoryPoint>?, Partial<HistoryPoint>?] = []) => [
  buildPoint(from, 2000, flags[0]),
  buildPoint(to, 3000, flags[1]),
];

const windows = [
  ['a latest point of today', 3, grow('2026-08-19', '2026-08-22'), true],
  ['a latest point that is 2 days old', 3, grow('2026-08-17', '2026-08-20'), true],
  ['a latest point that is 3 days old', 3, grow('2026-08-16', '2026-08-19'), false],
  ['a latest point of tomorrow', 3, grow('2026-08-20', '2026-08-23'), false],
  ['a counterpart that is a day too close', 3, grow('2026-08-20', '2026-08-22'), false],
  ['a counterpart that is 2 days further back', 3, grow('2026-08-17', '2026-08-22'), true],
  ['a counterpart that is 3 days further back', 3, grow('2026-08-16', '2026-08-22'), false],
  ['a counterpart 2 days further back from a point 2 days old', 3, grow('2026-08-15', '2026-08-20'), true],
  ['a window of one day', 1, grow('2026-08-21', '2026-08-22'), true],
  ['the longest window with all its slack', 30, grow('2026-07-19', '2026-08-20'), true],
  ['a window over the end of a year', 3, grow('2025-12-31', '2026-01-03'), false],
] as const;

/** Previous and current values with settings, and whether they are a spike. */
const amounts = [
  ['growth of exactly the threshold', 2000, 2400, settings, true],
  ['growth just under the threshold', 2000, 2399.99, settings, false],
  ['no growth', 2000, 2000, { floor: 0, thresholdPercent: 0 }, false],
  ['a decline', 3000, 2000, settings, false],
  ['a start at exactly the floor', 1000, 2000, settings, true],
  ['a start just under the floor', 999.99, 2000, settings, false],
  ['a start at zero without a floor', 0, 5000, { floor: 0, thresholdPercent: 0 }, false],
  ['a start below zero without a floor', -5, 5000, { floor: 0, thresholdPercent: 0 }, false],
  ['any growth without a threshold', 2000, 2001, { floor: 1000, thresholdPercent: 0 }, true],
  ['growth of exactly a threshold with decimals', 3000, 3033, { floor: 1000, thresholdPercent: 1.1 }, true],
] as const;

describe('spikes', () => {
  for (const [name, days, points, found] of windows) {
    it(`${found ? 'finds' : 'does not find'} growth with ${name}`, async () => {
      expect(await find(points, days)).to.have.lengthOf(found ? 1 : 0);
    });
  }

  for (const [name, previous, current, given, found] of amounts) {
    it(`${found ? 'finds' : 'does not find'} ${name}`, async () => {
      const points = [buildPoint('2026-08-19', previous), buildPoint('2026-08-22', current)];
      expect(await find(points, 3, given)).to.have.lengthOf(found ? 1 : 0);
    });
  }

  for (const flag of ['estimated', 'stale', 'terminal'] as const) {
    it(`ignores a point that is ${flag}`, async () => {
      expect(await find(grow('2026-08-19', '2026-08-22', [{ [flag]: true }]))).to.deep.equal([]);
      expect(await find(grow('2026-08-19', '2026-08-22', [{}, { [flag]: true }]))).to.deep.equal([]);
    });

    it(`uses another point of the window instead of one that is ${flag}`, async () => {
      const [spike] = await find([
        buildPoint('2026-08-17', 2000),
        buildPoint('2026-08-18', 9000, { [flag]: true }),
        buildPoint('2026-08-21', 3000),
        buildPoint('2026-08-22', 9000, { [flag]: true }),
      ]);
      expect(spike).to.deep.include({ previous: 2000, current: 3000 });
      expect(spike?.window).to.deep.equal({ days: 3, from: '2026-08-17', to: '2026-08-21' });
    });
  }

  it('compares the latest point with the latest one that is at least the window older', async () => {
    const points = ['2026-08-16', '2026-08-17', '2026-08-18', '2026-08-19', '2026-08-20', '2026-08-21', '2026-08-22'];
    const [spike] = await find(points.map((date, index) => buildPoint(date, 1000 * (index + 1))));
    expect(spike).to.deep.equal({
      artistId: 'art_1',
      artistName: 'Nobody',
      metric: 'spotify_streams',
      previous: 4000,
      current: 7000,
      delta: 3000,
      percentChange: 75,
      window: { days: 3, from: '2026-08-19', to: '2026-08-22' },
      engine,
      tiktok: undefined,
    });
  });

  for (const [current, previous, delta, percentChange] of [
    [5597.13, 4628.98, 968.15, 20.91],
    [9_007_199_254_740_991, 9_007_199_254_740_989, 2, 0],
    [1e-7, 3e-8, 7e-8, 233.33],
    [7_505_999_378_950_825, 1000, 7_505_999_378_949_825, 750_599_937_894_982.5],
  ] as const) {
    it(`has an exact delta and a rounded percentage from ${previous} to ${current}`, () => {
      expect(growthOf(previous, current, 0)).to.deep.equal({ delta, percentChange });
    });
  }

  it('has an exact delta and percentage, and reaches the threshold exactly, for any decimals', () => {
    const decimal = fc.tuple(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 0, max: 4 }));
    fc.assert(
      fc.property(decimal, decimal, fc.integer({ min: 0, max: 50 }), ([a, aPlaces], [b, bPlaces], threshold) => {
        const [to, from] = [BigInt(a) * 10n ** BigInt(4 - aPlaces), BigInt(b) * 10n ** BigInt(4 - bPlaces)];
        const growth = growthOf(Number(`${b}e-${bPlaces}`), Number(`${a}e-${aPlaces}`), threshold);
        const isReached = to > from && (to - from) * 100n >= BigInt(threshold) * from;
        const hundredths = ((to - from) * 20_000n + from) / (2n * from);
        const expected = { delta: Number(`${to - from}e-4`), percentChange: Number(`${hundredths}e-2`) };
        expect(growth).to.deep.equal(isReached ? expected : undefined);
      }),
    );
  });

  it('has the artist and its TikTok link', async () => {
    const artist = { id: 'art_9', name: 'Somebody', links: { tiktok: 'https://tiktok.example/@somebody' } };
    const series = buildSeries({ metric: 'social_score', points: grow('2026-08-19', '2026-08-22') });
    const [spike] = await findIn([buildListedArtist(artist, [series])]);
    expect(spike).to.include({ artistId: 'art_9', artistName: 'Somebody', metric: 'social_score' });
    expect(spike?.tiktok).to.equal('https://tiktok.example/@somebody');
  });

  it('ignores metrics of songs', async () => {
    const series = buildSeries({ metric: 'streams', points: grow('2026-08-19', '2026-08-22') });
    expect(await findIn([buildListedArtist({}, [series])])).to.deep.equal([]);
  });

  it('lists the strongest growth first, over all artists and metrics', async () => {
    const series = (metric: 'monthly_listeners' | 'tiktok_followers', previous: number, current: number) =>
      buildSeries({ metric, points: [buildPoint('2026-08-19', previous), buildPoint('2026-08-22', current)] });
    const listed = [
      buildListedArtist({ id: 'b' }, [series('tiktok_followers', 2000, 3000), series('monthly_listeners', 2000, 3000)]),
      buildListedArtist({ id: 'a' }, [series('tiktok_followers', 2000, 3000), series('monthly_listeners', 4000, 6000)]),
      buildListedArtist({ id: 'c' }, [series('tiktok_followers', 1000, 3000)]),
      buildListedArtist({ id: 'd' }),
    ];
    expect((await findIn(listed)).map(({ artistId, metric }) => `${artistId} ${metric}`)).to.deep.equal([
      'c tiktok_followers',
      'a monthly_listeners',
      'a tiktok_followers',
      'b monthly_listeners',
      'b tiktok_followers',
    ]);
  });

  it('finds other spikes on another day, over another window and of an artist that changed', async () => {
    const points = [3, 4].map((days) => buildPoint(addDays(today, -days), 1000 * days)).reverse();
    const listed = buildListedArtist({}, [buildSeries({ points: [...points, buildPoint(today, 9000)] })]);
    const finder = createSpikeFinder(settings);
    const find = async (days: number, day = today) => (await findIn([listed], days, day, finder))[0];
    expect([(await find(3))?.previous, (await find(4))?.previous]).to.deep.equal([3000, 4000]);
    expect(await find(3, addDays(today, 30))).to.equal(undefined);
    expect((await find(3))?.previous).to.equal(3000);
    const changed = { ...listed, artist: { ...listed.artist, name: 'Renamed' } };
    expect((await findIn([changed], 3, today, finder))[0]?.artistName).to.equal('Renamed');
  });

  it('finds in a changed shortlist what a finder that knows no former shortlist finds', async () => {
    const level = fc.constantFrom(1000, 1100, 2000, 5000);
    const artist = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), previous: level, current: level });
    const shortlist = fc.uniqueArray(artist, { selector: ({ id }) => id });
    const step = fc.record({ index: fc.nat(3), days: fc.constantFrom(3, 4), later: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(shortlist, { minLength: 4, maxLength: 4 }), fc.array(step), async (given, steps) => {
        const known = new Map<string, ReturnType<typeof buildListedArtist>>();
        const listedOf = (one: (typeof given)[number][number]) => {
          const text = JSON.stringify(one);
          const points = [buildPoint(addDays(today, -4), one.previous), buildPoint(today, one.current)];
          const listed = known.get(text) ?? buildListedArtist({ id: one.id }, [buildSeries({ points })]);
          known.set(text, listed); // an artist that did not change, or changed back, is the same object
          return listed;
        };
        const shortlists = given.map((artists) => artists.map(listedOf));
        const finder = createSpikeFinder(settings);
        for (const { index, days, later } of steps) {
          const artists = shortlists[index] ?? [];
          const day = later ? addDays(today, 1) : today;
          expect(await findIn(artists, days, day, finder)).to.deep.equal(await findIn(artists, days, day));
        }
      }),
    );
  });

  it('finds what a search over one window alone finds, for any points and windows', async () => {
    const flag = fc.constantFrom({}, {}, { estimated: true }, { stale: true }, { terminal: true });
    const point = fc.record({ ago: fc.nat(36), value: fc.integer({ min: 900, max: 3000 }), flag });
    const given = fc.uniqueArray(point, { selector: ({ ago }) => ago, maxLength: 36 });
    await fc.assert(
      fc.asyncProperty(given, async (points) => {
        const stored = points
          .toSorted((left, right) => right.ago - left.ago)
          .map(({ ago, value, flag }) => buildPoint(addDays(today, 1 - ago), value, flag));
        const trusted = stored.filter(({ estimated, stale, terminal }) => !estimated && !stale && !terminal);
        const lastOf = (from: string, to: string) => trusted.findLast(({ date }) => date >= from && date <= to);
        const finder = createSpikeFinder(settings);
        const listed = buildListedArtist({}, [buildSeries({ points: stored })]);
        for (let days = 1; days <= 30; days++) {
          const current = lastOf(addDays(today, -2), today);
          const previous = current && lastOf(addDays(current.date, -days - 2), addDays(current.date, -days));
          const isSpike = previous && previous.value >= 1000 && current.value * 100 >= previous.value * 120;
          const found = (await findIn([listed], days, today, finder)).map(({ window }) => window);
          expect(found).to.deep.equal(isSpike ? [{ days, from: previous.date, to: current.date }] : []);
        }
      }),
    );
  });

  it('keeps the list of a window while the shortlist and the day are the same', async () => {
    const artists = [buildListedArtist({}, [buildSeries({ points: grow('2026-08-19', '2026-08-22') })])];
    const finder = createSpikeFinder(settings);
    const list = await finder.find(artists, 3, today);
    expect(await finder.find(artists, 3, today)).to.equal(list);
    expect(await finder.find([...artists], 3, today)).to.not.equal(list);
  });

  it('searches a long shortlist in steps, and several one after another', async () => {
    const points = grow('2026-08-19', '2026-08-22');
    const artists = Array.from({ length: 500 }, (_, index) =>
      buildListedArtist({ id: `a${index}` }, [buildSeries({ points })]),
    );
    const finder = createSpikeFinder(settings);
    let turns = 0;
    let counting = setImmediate(function count() {
      turns += 1;
      counting = setImmediate(count);
    });
    const lists = [3, 4, 5].map((days) => finder.find(artists, days, today));
    expect((await Promise.all(lists)).map(({ length }) => length)).to.deep.equal([500, 0, 0]);
    clearImmediate(counting);
    expect(turns).to.be.within(3 * 25, 3 * 25 + 10);
  });
});
