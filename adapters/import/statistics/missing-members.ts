import { type Artist, artistMetrics, linkNames, type Song, songMetrics } from '../../../src/domain/model.ts';

/** How many artists or songs lack an optional member. */
export interface MissingMember {
  readonly member: string;
  readonly missing: number;
  /** All artists or songs. */
  readonly of: number;
  readonly percent: number;
}

const artistMembers = (artist: Artist): Readonly<Record<string, unknown>> => ({
  photo_url: artist.photoUrl,
  genres: artist.genres,
  country_code: artist.countryCode,
  date_added: artist.dateAdded,
  tier: artist.tier,
  songs: artist.songs[0],
  'signing.status': artist.signing.status,
  'provenance.sources': artist.provenance.sources,
  'editorial.scouting_report': artist.editorial?.scoutingReport,
  ...Object.fromEntries(linkNames.map((name) => [`links.${name}`, artist.links[name]])),
  ...Object.fromEntries(artistMetrics.map((name) => [`metrics.${name}`, artist.metrics[name]])),
});

const songMembers = (song: Song): Readonly<Record<string, unknown>> => ({
  'songs.artwork': song.artwork,
  'songs.preview_url': song.previewUrl,
  'songs.source_url': song.sourceUrl,
  'songs.tiktok_url': song.tiktokUrl,
  'songs.added_at': song.addedAt,
  'songs.rights.p_line': song.rights?.pLine,
  ...Object.fromEntries(songMetrics.map((name) => [`songs.metrics.${name}`, song.metrics[name]])),
});

/** Counts the optional members that artists and their songs lack. */
export const createMissingMembers = () => {
  const counts = new Map<string, { missing: number; of: number }>();
  const count = (members: Readonly<Record<string, unknown>>): void => {
    for (const [member, value] of Object.entries(members)) {
      const { missing, of } = counts.get(member) ?? { missing: 0, of: 0 };
      counts.set(member, { missing: missing + (value === undefined ? 1 : 0), of: of + 1 });
    }
  };
  return {
    add(artist: Artist): void {
      count(artistMembers(artist));
      for (const song of artist.songs) count(songMembers(song));
    },
    /** Members that at least one artist or song lacks, most often first. */
    list: (): MissingMember[] =>
      [...counts]
        .map(([member, { missing, of }]) => ({ member, missing, of, percent: Math.round((missing / of) * 1000) / 10 }))
        .filter(({ missing }) => missing > 0)
        .toSorted((left, right) => right.percent - left.percent),
  };
};
