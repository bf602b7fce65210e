import { expect } from 'chai';
import fc from 'fast-check';
import { engine } from '../../src/catalogue/movements.ts';
import type { Signing, Spike } from '../../src/domain/model.ts';
import {
  compareArtists,
  compareSignings,
  compareSongs,
  compareSpikes,
  firstWhere,
  type Position,
} from '../../src/domain/order.ts';
import { buildSong } from '../support/builders.ts';

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

const artists: readonly Position[] = [
  { id: 'z', dateAdded: '2026-08-22' },
  { id: 'a', dateAdded: '2026-08-21' },
  { id: 'a1', dateAdded: '2026-08-21' },
  { id: 'b', dateAdded: '2026-08-21' },
  { id: 'A', dateAdded: undefined },
  ...beyondLatin.map((id) => ({ id, dateAdded: undefined })),
];

const songs = [
  buildSong({ id: 'z', addedAt: '2026-08-22T00:00:00.000Z' }),
  buildSong({ id: 'a', addedAt: '2026-08-21' }),
  buildSong({ id: 'b', addedAt: '2026-08-21' }),
  ...beyondLatin.map((id) => buildSong({ id })),
];

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

describe('orders of lists', () => {
  it('sort artists by newest day, those without a day last, then by id', () => {
    expectOrder(artists, compareArtists);
    expect(artists.map((artist) => compareArtists(artist, { ...artist }))).to.deep.equal(artists.map(() => 0));
  });

  it('sort songs by newest day, those without a day last, then by id', () => {
    expectOrder(songs, compareSongs);
  });

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

  it('finds the first index that meets a condition, or the length', () => {
    expect([0, 1, 2, 3, 4].map((min) => firstWhere([1, 2, 3], (item) => item >= min))).to.deep.equal([0, 0, 1, 2, 3]);
    expect(firstWhere([], () => true)).to.equal(0);
  });
});
