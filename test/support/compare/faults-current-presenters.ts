import { addDays } from '../../../src/domain/day.ts';
import { currentArtists, mapValues, presenterFaultsOf, without } from './faulty.ts';

/** Faults in how the current form presents artists. */
export const currentPresenterFaults = presenterFaultsOf({
  'photo_url is left out': ['artist.photo_url', currentArtists({ show: (wire) => without(wire, 'photo_url') })],
  'country_code is left out': [
    'artist.country_code',
    currentArtists({ show: (wire) => without(wire, 'country_code') }),
  ],
  'a flag of status is dropped': [
    'artist.status.*',
    currentArtists({ show: (wire) => ({ ...wire, status: { ...wire.status, verified: undefined } }) }),
  ],
  'preview_url and source_url are swapped': [
    'artist.songs[].preview_url',
    currentArtists({
      show: (wire) => ({
        ...wire,
        songs: wire.songs.map((song) => ({ ...song, preview_url: song.source_url, source_url: song.preview_url })),
      }),
    }),
  ],
  'an internal number is shown': [
    'none',
    currentArtists({ show: (wire) => ({ ...wire, metrics: { ...wire.metrics, internal_score: 7 } }) }),
  ],
  'an internal member is shown': [
    'none',
    currentArtists({ show: (wire, { updatedAt }) => ({ ...wire, updated_at: updatedAt }) }),
  ],
  'added_at of songs is cut to its day': [
    'artist.songs[].added_at',
    currentArtists({
      show: (wire) => ({
        ...wire,
        songs: wire.songs.map((song) => ({ ...song, added_at: song.added_at?.slice(0, 10) })),
      }),
    }),
  ],
  'the flag stale of a point is dropped': [
    'artist.history.*[].stale',
    currentArtists({
      showHistory: (wire) => ({
        ...wire,
        history: mapValues(wire.history, (points) => points.map((point) => without(point, 'stale'))),
      }),
    }),
  ],
  'the days of points are one too early': [
    'artist.history.*[].date',
    currentArtists({
      showHistory: (wire) => ({
        ...wire,
        history: mapValues(wire.history, (points) =>
          points.map((point) => ({ ...point, date: addDays(point.date, -1) })),
        ),
      }),
    }),
  ],
  'the history of songs is left out': [
    'artist.songs[].history.*[].date',
    currentArtists({
      showHistory: (wire) => ({ ...wire, songs: wire.songs.map((song) => without(song, 'history')) }),
    }),
  ],
  'next_cursor is left out where there is none': [
    'envelope.meta.next_cursor',
    currentArtists({
      around: (envelope) => ({ ...envelope, meta: mapValues(Object(envelope['meta']), (value) => value ?? undefined) }),
    }),
  ],
  'the request id is another one than the header says': [
    'header.X-Request-Id',
    currentArtists({
      around: (envelope) => ({
        ...envelope,
        meta: { ...Object(envelope['meta']), request_id: '00000000-0000-4000-8000-000000000000' },
      }),
    }),
  ],
});
