import { expect } from 'chai';
import { createSnapshot, type Snapshot } from '../../src/catalogue/snapshot.ts';
import { buildArtist, buildContents, buildLabel, buildSong } from '../support/builders.ts';

const songOf = (pLine: string, id = 'sng_1') =>
  buildSong({ id, name: `Song ${id}`, rights: { pLine, checkedAt: '2026-08-01' } });

describe('snapshot', () => {
  it('keeps the first artist per id and document id, and reports the rest', async () => {
    const contents = buildContents([
      { id: 'a', documentId: '1', name: 'First' },
      { id: 'a', documentId: '2', name: 'Second' },
      { id: 'b', documentId: '1', name: 'Third' },
      { id: 'b', documentId: '2', name: 'Fourth' },
    ]);
    const snapshot = await createSnapshot(contents);
    expect(snapshot.listed.map(({ artist }) => artist.name)).to.deep.equal(['First', 'Fourth']);
    expect(
      snapshot.faults.map(({ collection, document }) => `${collection} ${document}`),
    ).to.deep.equal(['artists 2', 'artists 1']);
    expect(snapshot.faults[0]?.reason).to.include('id a');
  });

  it('lists each tracked label once, sorted case-insensitively', async () => {
    const labels = ['warner', 'EMI', 'Ätna', 'EMI', 'big'].map((name) => buildLabel(name));
    expect((await createSnapshot(buildContents([], { labels }))).labels).to.deep.equal([
      'big',
      'EMI',
      'warner',
      'Ätna',
    ]);
  });
});

describe('snapshot built from a previous one', () => {
  const labels = [buildLabel('Warner')];
  const unchanged = { artist: buildArtist({ id: 'a', songs: [songOf('Warner')] }), recent: [] };
  const before = { artist: buildArtist({ id: 'b', songs: [songOf('Own')] }), recent: [] };
  const after = { artist: buildArtist({ id: 'b', songs: [songOf('Warner')] }), recent: [] };
  let previous: Snapshot;
  beforeEach(async () => {
    previous = await createSnapshot(buildContents([], { artists: [unchanged, before], labels }));
  });

  const signedIn = ({ signings }: Snapshot): string[] =>
    signings.inOrder.map(({ artistId }) => artistId);

  it('reuses the signings of unchanged artists, and detects signings of others', async () => {
    const snapshot = await createSnapshot(
      buildContents([], { artists: [unchanged, after], labels }),
      previous,
    );
    expect(signedIn(snapshot)).to.deep.equal(['a', 'b']);
    expect(snapshot.signings.inOrder[0]).to.equal(previous.signings.inOrder[0]);
    const again = await createSnapshot(
      buildContents([], { artists: [unchanged, before], labels }),
      snapshot,
    );
    expect(again.signings.inOrder).to.deep.equal(previous.signings.inOrder);
  });
});
