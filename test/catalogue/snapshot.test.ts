import { expect } from 'chai';
import { indexAfter, indexBefore, type Snapshot } from '../../src/catalogue/snapshot.ts';
import { buildArtist, buildContents, buildLabel, buildSnapshot, buildSong } from '../support/builders.ts';

const idsOf = ({ listed }: Snapshot): string[] => listed.map(({ artist }) => artist.id);
const songOf = (pLine: string, id = 'sng_1') =>
  buildSong({ id, name: `Song ${id}`, rights: { pLine, checkedAt: '2026-08-01' } });

const days = [
  { id: 'c', dateAdded: '2026-08-20' },
  { id: 'b', dateAdded: '2026-08-22' },
  { id: 'd' },
  { id: 'a', dateAdded: '2026-08-20' },
] as const;

describe('snapshot', () => {
  it('lists artists in list order and indexes both of their identifiers', () => {
    const snapshot = buildSnapshot(buildContents(days));
    expect(idsOf(snapshot)).to.deep.equal(['b', 'a', 'c', 'd']);
    expect(['a', 'b', 'c', 'd', 'e', 'doc-a'].map((id) => snapshot.byId.get(id))).to.deep.equal([
      1,
      0,
      2,
      3,
      undefined,
      undefined,
    ]);
    expect(['doc-a', 'doc-d', 'a'].map((id) => snapshot.byDocumentId.get(id))).to.deep.equal([1, 3, undefined]);
  });

  it('keeps the first of several artists with the same id or document id, and reports the rest', () => {
    const earlier = {
      event: 'document left out',
      collection: 'artists',
      document: 'line 7',
      reason: 'name: is missing',
    } as const;
    const contents = buildContents(
      [
        { id: 'a', documentId: '1', name: 'First' },
        { id: 'a', documentId: '2', name: 'Second' },
        { id: 'b', documentId: '1', name: 'Third' },
        { id: 'b', documentId: '2', name: 'Fourth' },
      ],
      { faults: [earlier] },
    );
    const snapshot = buildSnapshot(contents);
    expect(snapshot.listed.map(({ artist }) => artist.name)).to.deep.equal(['First', 'Fourth']);
    expect(snapshot.faults.map(({ collection, document }) => `${collection} ${document}`)).to.deep.equal([
      'artists line 7',
      'artists 2',
      'artists 1',
    ]);
    expect(snapshot.faults[1]?.reason).to.include('id a');
    expect(contents.faults).to.deep.equal([earlier]);
  });

  it('has the positions of each tier, ascending', () => {
    const { byTier } = buildSnapshot(
      buildContents([
        { id: 'a', tier: 'watch' },
        { id: 'b', tier: 'breaking' },
        { id: 'c', tier: 'watch' },
        { id: 'd' },
      ]),
    );
    expect([...byTier]).to.have.deep.members([
      ['watch', [0, 2]],
      ['breaking', [1]],
    ]);
  });

  it('lists as signings the signed artists and those with a tracked label, with their basis', () => {
    const contents = buildContents(
      [
        { id: '1', name: 'Zed', signing: { status: 'signed', note: 'A note.' } },
        { id: '2', name: 'amy', songs: [songOf('2026 Warner', 'x'), songOf('2026 Own', 'y'), buildSong()] },
        { id: '3', name: 'Amy', signing: { status: 'signed', note: undefined }, songs: [songOf('Warner')] },
        { id: '4', name: 'Bob', signing: { status: 'unsigned', note: 'A note.' }, songs: [songOf('Own')] },
        { id: '5', name: 'Eve' },
      ],
      { labels: [buildLabel('Warner')] },
    );
    const signings = buildSnapshot(contents).signings.inOrder;
    expect(signings.map(({ artistId, basis }) => [artistId, ...basis])).to.deep.equal([
      ['2', 'label_p_line'],
      ['3', 'reviewed_status', 'label_p_line'],
      ['1', 'reviewed_status'],
    ]);
    expect(signings[0]).to.include({ artistName: 'amy', status: undefined, note: undefined });
    expect(signings[0]?.labelSongs).to.deep.equal([
      { songId: 'x', songName: 'Song x', pLine: '2026 Warner', labelDetected: 'Warner', checkedAt: '2026-08-01' },
    ]);
    expect(signings[2]).to.include({ artistName: 'Zed', status: 'signed', note: 'A note.' });
  });

  it('lists each tracked label once, sorted case-insensitively', () => {
    const labels = ['warner', 'EMI', 'Ätna', 'EMI', 'big'].map((name) => buildLabel(name));
    expect(buildSnapshot(buildContents([], { labels })).labels).to.deep.equal(['big', 'EMI', 'warner', 'Ätna']);
  });

  it('finds the index after a position, with or without an artist at that position', () => {
    const snapshot = buildSnapshot(buildContents(days));
    for (const [dateAdded, id, index] of [
      ['2026-08-23', 'z', 0],
      ['2026-08-22', 'b', 1],
      ['2026-08-20', 'a', 2],
      ['2026-08-20', 'b', 2],
      ['2026-08-20', 'c', 3],
      [undefined, 'c', 3],
      [undefined, 'd', 4],
    ] as const) {
      expect(indexAfter(snapshot, { dateAdded, id }), `${dateAdded} ${id}`).to.equal(index);
    }
  });

  it('finds the index before which all artists were added since a day', () => {
    const snapshot = buildSnapshot(buildContents(days));
    const indexes = ['2026-08-23', '2026-08-22', '2026-08-21', '2026-08-20', '0000-01-01'].map((day) =>
      indexBefore(snapshot, day),
    );
    expect(indexes).to.deep.equal([0, 1, 1, 3, 3]);
  });
});

describe('snapshot built from a previous one', () => {
  const labels = [buildLabel('Warner')];
  const unchanged = { artist: buildArtist({ id: 'a', songs: [songOf('Warner')] }), recent: [] };
  const before = { artist: buildArtist({ id: 'b', songs: [songOf('Own')] }), recent: [] };
  const after = { artist: buildArtist({ id: 'b', songs: [songOf('Warner')] }), recent: [] };
  const previous = buildSnapshot(buildContents([], { artists: [unchanged, before], labels }));

  const signedIn = ({ signings }: Snapshot): string[] => signings.inOrder.map(({ artistId }) => artistId);

  it('reuses the signings of unchanged artists, and detects those of others', () => {
    const snapshot = buildSnapshot(buildContents([], { artists: [unchanged, after], labels }), previous);
    expect(signedIn(snapshot)).to.deep.equal(['a', 'b']);
    expect(snapshot.signings.inOrder[0]).to.equal(previous.signings.inOrder[0]);
    const again = buildSnapshot(buildContents([], { artists: [unchanged, before], labels }), snapshot);
    expect(again.signings.inOrder).to.deep.equal(previous.signings.inOrder);
  });

  it('detects all labels again when the tracked labels changed', () => {
    const others = { artists: [unchanged, before], labels: [buildLabel('Own')] };
    expect(signedIn(buildSnapshot(buildContents([], others), previous))).to.deep.equal(['b']);
  });

  it('does not change the previous one', () => {
    buildSnapshot(buildContents([], { artists: [after], labels: [] }), previous);
    expect([idsOf(previous), signedIn(previous)]).to.deep.equal([['a', 'b'], ['a']]);
  });
});
