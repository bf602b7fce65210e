import { expect } from 'chai';
import fc from 'fast-check';
import { engine } from '../../src/catalogue/movements.ts';
import type { Signing, Spike } from '../../src/domain/model.ts';
import { compareSignings, compareSpikes } from '../../src/domain/order.ts';

const buildSpike = (given: Partial<Spike>): Spike => ({
  artistId: 'art_1',
  artistName: 'Nobody',
  metric: 'spotify_streams',
  previous: 1000,
  current: 1200,
  delta: 200,
  percentChange: 20,
  window: { days: 3, from: '2026-08-19', to: '2026-08-22' },
  engine,
  tiktok: undefined,
  ...given,
});

const buildSigning = (given: Pick<Signing, 'artistId' | 'artistName'>): Signing => ({
  status: undefined,
  note: undefined,
  labelSongs: [],
  basis: [],
  ...given,
});

/** In the order of their code points, which is not that of their UTF-16 units. */
const beyondLatin = ['a', '\u{E000}', '\u{FFFD}', '\u{10000}', '\u{1F600}'];

const spikes = [
  buildSpike({ artistId: 'z', percentChange: 50, delta: 1 }),
  buildSpike({ artistId: 'z', percentChange: 30, delta: 900 }),
  ...beyondLatin.flatMap((artistId) => [
    buildSpike({ artistId, percentChange: 30, delta: 300, metric: 'monthly_listeners' }),
    buildSpike({ artistId, percentChange: 30, delta: 300, metric: 'tiktok_followers' }),
  ]),
];

/** Asserts that every permutation of the items sorts into this order. */
const expectOrder = <Item>(items: readonly Item[], compare: (left: Item, right: Item) => number): void => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...items], { minLength: items.length }), (shuffled) => {
      expect(shuffled.sort(compare)).to.deep.equal(items);
    }),
  );
};

/** Those of artists and songs are known by the random questions. */
describe('orders of lists', () => {
  it('sort spikes by growth in per cent, then by growth, artist and metric', () => {
    expectOrder(spikes, compareSpikes);
  });

  it('sort signings by lower-case name in code point order, then by id', () => {
    const names = ['_', 'abba', 'ABBA', 'Zoe', 'Émile', '～tilde', '😀 grin'];
    expectOrder(
      names.map((artistName, index) => buildSigning({ artistId: String(index), artistName })),
      compareSignings,
    );
  });
});
