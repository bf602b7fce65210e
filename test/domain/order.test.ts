import { expect } from 'chai';
import fc from 'fast-check';
import { compareSignings, compareSongs, compareSpikes } from '../../src/domain/order.ts';
import type { Signing } from '../../src/domain/signals.ts';
import { buildSong } from '../support/builders.ts';

const buildSigning = (given: Pick<Signing, 'artistId' | 'artistName'>): Signing => ({
  status: undefined,
  note: undefined,
  labelSongs: [],
  basis: [],
  ...given,
});

/** In code point order, which differs from UTF-16 order. */
const beyondLatin = ['a', '\u{E000}', '\u{FFFD}', '\u{10000}', '\u{1F600}'];

const spikes: readonly Parameters<typeof compareSpikes>[0][] = [
  { percentChange: 50, delta: 1, artistId: 'z', metric: 'monthly_listeners' },
  { percentChange: 30, delta: 900, artistId: 'z', metric: 'monthly_listeners' },
  ...beyondLatin.flatMap((artistId) =>
    (['monthly_listeners', 'tiktok_followers'] as const).map((metric) => ({
      percentChange: 30,
      delta: 300,
      artistId,
      metric,
    })),
  ),
];

/** Asserts that every permutation of the items sorts into this order. */
const expectOrder = <Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): void => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...items], { minLength: items.length }), (shuffled) => {
      expect(shuffled.sort(compare)).to.deep.equal(items);
    }),
  );
};

/** Random questions assert the order of artists. */
describe('orders of lists', () => {
  it('sort spikes by growth in per cent, then by growth, artist and metric', () => {
    expectOrder(spikes, compareSpikes);
  });

  it('sort songs by `added_at` text, greatest first and unknown last, then by id', () => {
    const added = ['\u{1F600}', '\u{FFEE}', '2026-08-22', '2026', undefined, undefined];
    expectOrder(
      added.map((addedAt, index) => buildSong({ id: String(index), addedAt })),
      compareSongs,
    );
  });

  it('sort signings by lower-case name in code point order, then by id', () => {
    const names = ['_', 'abba', 'ABBA', 'Zoe', 'Émile', '～tilde', '😀 grin'];
    expectOrder(
      names.map((artistName, index) => buildSigning({ artistId: String(index), artistName })),
      compareSignings,
    );
  });
});
