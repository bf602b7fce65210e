import { addDays } from '../../../src/domain/day.ts';
import { currentArtists, type Fault } from './faulty.ts';
import { without } from './without.ts';

const group = 'presenter';

/** Faults in how the current form presents artists. */
export const currentPresenterFaults: readonly Fault[] = [
  { group, name: 'photo_url is left out', forms: currentArtists({ show: (wire) => without(wire, 'photo_url') }) },
  { group, name: 'country_code is left out', forms: currentArtists({ show: (wire) => without(wire, 'country_code') }) },
  {
    group,
    name: 'a flag of status is dropped',
    forms: currentArtists({
      show: (wire) => ({
        ...wire,
        status: Object.fromEntries(Object.entries(wire.status).filter(([name]) => name !== 'verified')),
      }),
    }),
  },
  {
    group,
    name: 'preview_url and source_url are swapped',
    forms: currentArtists({
      show: (wire) => ({
        ...wire,
        songs: wire.songs.map((song) => ({ ...song, preview_url: song.source_url, source_url: song.preview_url })),
      }),
    }),
  },
  {
    group,
    name: 'an internal number is shown',
    forms: currentArtists({ show: (wire) => ({ ...wire, metrics: { ...wire.metrics, internal_score: 7 } }) }),
  },
  {
    group,
    name: 'an internal member is shown',
    forms: currentArtists({ show: (wire, { updatedAt }) => ({ ...wire, updated_at: updatedAt }) }),
  },
  {
    group,
    name: 'added_at of songs is cut to its day',
    forms: currentArtists({
      show: (wire) => ({
        ...wire,
        songs: wire.songs.map((song) => ({ ...song, added_at: song.added_at?.slice(0, 10) })),
      }),
    }),
  },
  {
    group,
    name: 'the flag stale of a point is dropped',
    forms: currentArtists({
      showHistory: (wire) => ({
        ...wire,
        history: Object.fromEntries(
          Object.entries(wire.history ?? {}).map(([name, points]) => [
            name,
            points.map((point) => without(point, 'stale')),
          ]),
        ),
      }),
    }),
  },
  {
    group,
    name: 'the days of points are one too early',
    forms: currentArtists({
      showHistory: (wire) => ({
        ...wire,
        history: Object.fromEntries(
          Object.entries(wire.history ?? {}).map(([name, points]) => [
            name,
            points.map((point) => ({ ...point, date: addDays(point.date, -1) })),
          ]),
        ),
      }),
    }),
  },
  {
    group,
    name: 'the history of songs is left out',
    forms: currentArtists({
      showHistory: (wire) => ({ ...wire, songs: wire.songs.map((song) => without(song, 'history')) }),
    }),
  },
  {
    group,
    name: 'next_cursor is left out where there is none',
    forms: currentArtists({
      around: (envelope) => ({
        ...envelope,
        meta: Object.fromEntries(Object.entries(Object(envelope['meta'])).filter(([, value]) => value !== null)),
      }),
    }),
  },
  {
    group,
    name: 'the request id is another one than the header says',
    forms: currentArtists({
      around: (envelope) => ({
        ...envelope,
        meta: { ...Object(envelope['meta']), request_id: '00000000-0000-4000-8000-000000000000' },
      }),
    }),
  },
];
