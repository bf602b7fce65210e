import { addDays } from '../../../src/domain/day.ts';
import { mapValues, presenterFaultsOf, variantArtists, without } from './faulty.ts';

/** Faults in how the variant form presents artists. */
export const variantPresenterFaults = presenterFaultsOf({
  'photo is left out': ['artist.photo_url', variantArtists({ show: (wire) => without(wire, 'photo') })],
  'streams come from ugc_tiktok': [
    'artist.songs[].metrics.streams',
    variantArtists({
      show: (wire) => ({ ...wire, songs: wire.songs?.map((song) => ({ ...song, streams: song.ugc_tiktok })) }),
    }),
  ],
  'ugc_tiktok and ugc_instagram are swapped': [
    'artist.songs[].metrics.ugc_tiktok',
    variantArtists({
      show: (wire) => ({
        ...wire,
        songs: wire.songs?.map((song) => ({ ...song, ugc_tiktok: song.ugc_instagram, ugc_instagram: song.ugc_tiktok })),
      }),
    }),
  ],
  'a status without a review reads unsigned': [
    'artist.signing.status',
    variantArtists({ show: (wire, { signing }) => ({ ...wire, signed_status: signing.status ?? 'unsigned' }) }),
  ],
  'total_songs counts songs with streams only': [
    'artist.total_songs',
    variantArtists({
      show: (wire, { songs }) => ({ ...wire, total_songs: songs.filter(({ metrics }) => metrics.streams).length }),
    }),
  ],
  'id is the stable one': ['artist.id', variantArtists({ show: (wire, { id }) => ({ ...wire, id }) })],
  'date_added is a day late': [
    'artist.date_added',
    variantArtists({ show: (wire) => ({ ...wire, date_added: wire.date_added && addDays(wire.date_added, 1) }) }),
  ],
  'scouting_report is the first highlight': [
    'artist.editorial.scouting_report',
    variantArtists({
      show: (wire, { editorial }) => ({ ...wire, scouting_report: editorial?.highlights?.[0] }),
    }),
  ],
  'numbers are rounded': [
    'artist.metrics.*',
    variantArtists({
      show: (wire) => ({ ...wire, metrics: mapValues(wire.metrics, (value) => Math.round(Number(value))) }),
    }),
  ],
  'https becomes http in links': [
    'artist.links.*',
    variantArtists({
      show: (wire) => ({ ...wire, links: mapValues(wire.links, (url) => String(url).replace('https', 'http')) }),
    }),
  ],
  'unknown is null': ['artist.photo_url', variantArtists({ show: (wire) => ({ ...wire, photo: wire.photo ?? null }) })],
  'fields=basic keeps the songs': [
    'artist.songs[].id',
    variantArtists({
      showBasic: (wire, { songs }) => ({ ...wire, songs: songs.map(({ id, name }) => ({ id, name })) }),
    }),
  ],
  'fields=basic drops total_songs': [
    'artist.total_songs',
    variantArtists({ showBasic: (wire) => without(wire, 'total_songs') }),
  ],
  'a zero is taken for unknown': [
    'artist.metrics.*',
    variantArtists({
      show: (wire) => ({ ...wire, metrics: mapValues(wire.metrics, (value) => (value === 0 ? undefined : value)) }),
    }),
  ],
  'count is one too many': [
    'envelope.meta.count',
    variantArtists({ around: (envelope) => ({ ...envelope, count: Number(envelope['count']) + 1 }) }),
  ],
  'success is left out': [
    'envelope.success',
    variantArtists({ around: ({ success: _success, ...envelope }) => envelope }),
  ],
  'timestamp has no milliseconds': [
    'envelope.meta.generated_at',
    variantArtists({
      around: (envelope) => ({
        ...envelope,
        _meta: { ...Object(envelope['_meta']), timestamp: '2026-08-22T12:00:00Z' },
      }),
    }),
  ],
});
