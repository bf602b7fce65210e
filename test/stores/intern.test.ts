import { expect } from 'chai';
import { createInterner } from '../../adapters/stores/documents/intern.ts';
import type { Artist } from '../../src/domain/model.ts';
import { buildArtist, buildSong } from '../support/builders.ts';

/** Builds an artist with new objects for everything that artists share, as a driver does. */
const buildCommon = (given: Partial<Artist> = {}): Artist =>
  buildArtist({
    genres: ['drill', 'shoegaze'],
    countryCode: 'PT',
    dateAdded: '2026-08-01',
    tier: 'watch',
    status: { active: true, verified: false },
    songs: [
      buildSong({ addedAt: '2026-08-02', rights: { pLine: '℗ 2026 Own', checkedAt: undefined } }),
      buildSong({ id: 'sng_2', rights: { pLine: '℗ 2026 Own', checkedAt: '2026-08-10' } }),
    ],
    freshness: { metrics: '2026-08-22T00:00:00.000Z' },
    provenance: { sources: ['charts'], method: 'By hand.' },
    dataQuality: { complete: true, missingMetrics: [], estimatedPoints: 2, warnings: undefined },
    ...given,
  });

describe('interner', () => {
  it('shares equal parts between artists, and no others', () => {
    const intern = createInterner();
    const [first, second] = [intern(buildCommon()), intern(buildCommon({ genres: ['drill'] }))];
    expect(second).to.deep.equal(buildCommon({ genres: ['drill'] }));
    expect([second.freshness, second.songs[0]?.rights]).to.have.ordered.members([
      first.freshness,
      first.songs[0]?.rights,
    ]);
  });

  it('returns equal artists beyond its capacity', () => {
    const intern = createInterner();
    const artists = Array.from({ length: 2_500 }, (_, index) => buildCommon({ genres: [`genre ${index % 1_250}`] }));
    expect(artists.map(intern)).to.deep.equal(artists);
  });
});
