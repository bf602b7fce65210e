import { expect } from 'chai';
import fc from 'fast-check';
import type { Snapshot } from '../../src/catalogue/snapshot.ts';
import type { ListedArtist } from '../../src/ports.ts';
import { buildArtist, buildContents, buildLabel, buildSnapshot, buildSong } from '../support/builders.ts';

const labels = [buildLabel('Warner')];

/** An artist with random values for every member that a list order depends on. */
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

/** Two lists: the second keeps some objects of the first, and removes, replaces and adds others. */
const lists = fc.tuple(list, list, fc.array(fc.boolean())).map(([before, others, keeps]) => {
  const reused = before.filter((_, index) => keeps[index] === true);
  const reusedIds = new Set(reused.map(({ artist }) => artist.id));
  return { before, after: [...reused, ...others.filter(({ artist }) => !reusedIds.has(artist.id))] };
});

/** Two lists of the same artists: each of the second is the same object, or has changed where it is. */
const changedInPlace = fc.tuple(list, fc.array(fc.option(listed))).map(([before, changes]) => ({
  before,
  after: before.map((one, index): ListedArtist => {
    const { id, documentId, dateAdded } = one.artist;
    const change = changes[index];
    return change ? { artist: { ...change.artist, id, documentId, dateAdded }, recent: [] } : one;
  }),
}));

/** The data of a snapshot, regardless of the order in its maps. */
const answersOf = ({ listed: all, byId, byTier, folded, signings, names }: Snapshot) => ({
  all,
  byId: [...byId].sort(),
  byTier: [...byTier].sort(),
  folded,
  signings,
  named: ['A', 'E', '😀'].map((text) => [...names.search(text, 0, all.length)]),
});

describe('snapshot built from a previous one (any lists)', () => {
  it('equals a snapshot built from scratch', () => {
    fc.assert(
      fc.property(fc.oneof(lists, changedInPlace), ({ before, after }) => {
        const contents = buildContents([], { artists: after, labels });
        const previous = buildSnapshot(buildContents([], { artists: before, labels }));
        expect(answersOf(buildSnapshot(contents, previous))).to.deep.equal(answersOf(buildSnapshot(contents)));
      }),
    );
  });
});
