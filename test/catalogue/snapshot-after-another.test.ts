import { expect } from 'chai';
import fc from 'fast-check';
import type { Snapshot } from '../../src/catalogue/snapshot.ts';
import type { ListedArtist } from '../../src/ports.ts';
import { buildArtist, buildContents, buildLabel, buildSnapshot, buildSong } from '../support/builders.ts';

const labels = [buildLabel('Warner')];

/** Everything that may change of an artist and that a place in some list depends on. */
const listed = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    name: fc.constantFrom('Abba', 'abba', 'Zoe', 'Émile', '😀 grin', '～tilde'),
    dateAdded: fc.constantFrom('2026-08-20', '2026-08-21', undefined),
    tier: fc.constantFrom('watch' as const, 'breaking' as const, undefined),
    status: fc.constantFrom('signed' as const, 'unsigned' as const),
    pLine: fc.constantFrom('Warner', 'Own'),
  })
  .map(({ status, pLine, ...artist }): ListedArtist => {
    const songs = [buildSong({ rights: { pLine, checkedAt: undefined } })];
    return { artist: buildArtist({ ...artist, signing: { status, note: undefined }, songs }), recent: [] };
  });

const list = fc.uniqueArray(listed, { selector: ({ artist }) => artist.id });

/** Two lists: in the second some of the first are gone, some are others, and some are the very same. */
const lists = fc.tuple(list, list, fc.array(fc.boolean())).map(([before, others, keeps]) => {
  const kept = before.filter((_, place) => keeps[place] === true);
  const keptIds = new Set(kept.map(({ artist }) => artist.id));
  return { before, after: [...kept, ...others.filter(({ artist }) => !keptIds.has(artist.id))] };
});

/** What a snapshot answers with; the order in a map is no part of it. */
const answersOf = ({ listed: all, byId, byTier, folded, signings, names }: Snapshot) => ({
  all,
  byId: [...byId].sort(),
  byTier: [...byTier].sort(),
  folded,
  signings,
  named: ['A', 'E', '😀'].map((text) => [...names.search(text, 0, all.length)]),
});

describe('snapshot after another', () => {
  it('is what it would be if there had been none before it', () => {
    fc.assert(
      fc.property(lists, ({ before, after }) => {
        const contents = buildContents([], { artists: after, labels });
        const previous = buildSnapshot(buildContents([], { artists: before, labels }));
        expect(answersOf(buildSnapshot(contents, previous))).to.deep.equal(answersOf(buildSnapshot(contents)));
      }),
    );
  });
});
