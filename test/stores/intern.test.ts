import { expect } from 'chai';
import { parseArtist } from '../../adapters/stores/documents/catalogue-documents.ts';
import { createInterner } from '../../adapters/stores/documents/intern.ts';
import { artistDocument, modelOf } from '../support/stores/stored-documents.ts';

/** An artist with new objects for everything that artists share, as a driver makes them. */
const readArtist = (genres: readonly string[]) =>
  modelOf(parseArtist({ ...structuredClone(artistDocument), genres }));

describe('interner', () => {
  it('shares equal parts between artists, and no others', () => {
    const intern = createInterner();
    const [first, second] = [
      intern(readArtist(['drill', 'shoegaze'])),
      intern(readArtist(['drill'])),
    ];
    expect(second).to.deep.equal(readArtist(['drill']));
    expect([second.freshness, second.songs[1]?.rights]).to.have.ordered.members([
      first.freshness,
      first.songs[1]?.rights,
    ]);
  });

  it('returns equal artists beyond its capacity', () => {
    const intern = createInterner();
    const artists = Array.from({ length: 2_500 }, (_, index) =>
      readArtist([`genre ${index % 1_250}`]),
    );
    expect(artists.map(intern)).to.deep.equal(artists);
  });
});
