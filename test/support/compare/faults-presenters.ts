import { addDays, type Day } from '../../../src/domain/day.ts';
import {
  around,
  backwards,
  currentArtists,
  currentSignings,
  currentSpikes,
  gone,
  presenterFaultsOf,
  show,
  showHistory,
  variantArtists,
  variantSignings,
  variantSpikes,
} from './faulty.ts';

type Song = Readonly<Record<string, unknown>>;

const showSwapped = (one: string, other: string) =>
  show('songs[]', (song: Song) => ({ ...song, [one]: song[other], [other]: song[one] }));

/** Faults in how the variant form presents artists. */
const variantFaults = presenterFaultsOf({
  'photo is left out': ['artist.photo_url', variantArtists(show('photo', gone))],
  'streams come from ugc_tiktok': [
    'artist.songs[].metrics.streams',
    variantArtists(show('songs[]', (song: Song) => ({ ...song, streams: song['ugc_tiktok'] }))),
  ],
  'ugc_tiktok and ugc_instagram are swapped': [
    'artist.songs[].metrics.ugc_tiktok',
    variantArtists(showSwapped('ugc_tiktok', 'ugc_instagram')),
  ],
  'a status without a review reads unsigned': [
    'artist.signing.status',
    variantArtists({
      show: (wire, { signing }) => ({ ...wire, signed_status: signing.status ?? 'unsigned' }),
    }),
  ],
  'total_songs counts songs with streams only': [
    'artist.total_songs',
    variantArtists({
      show: (wire, { songs }) => ({
        ...wire,
        total_songs: songs.filter(({ metrics }) => metrics.streams).length,
      }),
    }),
  ],
  'id is the stable one': [
    'artist.id',
    variantArtists({ show: (wire, { id }) => ({ ...wire, id }) }),
  ],
  'date_added is a day late': [
    'artist.date_added',
    variantArtists(show('date_added', (day: Day) => addDays(day, 1))),
  ],
  'scouting_report is the first highlight': [
    'artist.editorial.scouting_report',
    variantArtists({
      show: (wire, { editorial }) => ({ ...wire, scouting_report: editorial?.highlights?.[0] }),
    }),
  ],
  'numbers are rounded': ['artist.metrics.*', variantArtists(show('metrics.*', Math.round))],
  'https becomes http in links': [
    'artist.links.*',
    variantArtists(show('links.*', (url: string) => url.replace('https', 'http'))),
  ],
  'unknown is null': [
    'artist.photo_url',
    variantArtists({ show: (wire) => ({ ...wire, photo: wire.photo ?? null }) }),
  ],
  'fields=basic keeps the songs': [
    'artist.songs[].id',
    variantArtists({
      showBasic: (wire, { songs }) => ({
        ...wire,
        songs: songs.map(({ id, name }) => ({ id, name })),
      }),
    }),
  ],
  'fields=basic keeps the report': [
    'artist.editorial.scouting_report',
    variantArtists({
      showBasic: (wire, { editorial }) => ({
        ...wire,
        scouting_report: editorial?.scoutingReport,
      }),
    }),
  ],
  'fields=basic drops total_songs': [
    'artist.total_songs',
    variantArtists({ showBasic: (wire) => ({ ...wire, total_songs: undefined }) }),
  ],
  'a zero is taken for unknown': [
    'artist.metrics.*',
    variantArtists(show('metrics.*', (value: number) => (value === 0 ? undefined : value))),
  ],
  'count is one too many': [
    'envelope.meta.count',
    variantArtists(around('count', (count: number) => count + 1)),
  ],
  'the first song is left out': [
    'artist.songs[].id',
    variantArtists(show('songs', (songs: readonly Song[]) => songs.slice(1))),
  ],
  'metrics are left out': ['artist.metrics.*', variantArtists(show('metrics', gone))],
  'success is left out': ['envelope.success', variantArtists(around('success', gone))],
  'timestamp has no milliseconds': [
    'envelope.meta.generated_at',
    variantArtists(around('_meta.timestamp', () => '2026-08-22T12:00:00Z')),
  ],
});

/** Faults in how the current form presents artists. */
const currentFaults = presenterFaultsOf({
  'photo_url is left out': ['artist.photo_url', currentArtists(show('photo_url', gone))],
  'country_code is left out': ['artist.country_code', currentArtists(show('country_code', gone))],
  'a flag of status is dropped': ['artist.status.*', currentArtists(show('status.verified', gone))],
  'preview_url and source_url are swapped': [
    'artist.songs[].preview_url',
    currentArtists(showSwapped('preview_url', 'source_url')),
  ],
  'an internal number is shown': [
    'none',
    currentArtists(show('metrics', (metrics: object) => ({ ...metrics, internal_score: 7 }))),
  ],
  'an internal member is shown': [
    'none',
    currentArtists({ show: (wire, { updatedAt }) => ({ ...wire, updated_at: updatedAt }) }),
  ],
  'added_at of songs is cut to its day': [
    'artist.songs[].added_at',
    currentArtists(show('songs[].added_at', (instant: string) => instant.slice(0, 10))),
  ],
  'songs are in reverse order': ['artist.songs[].id', currentArtists(show('songs', backwards))],
  'the flag stale of a point is dropped': [
    'artist.history.*[].stale',
    currentArtists(showHistory('history.*[].stale', gone)),
  ],
  'the days of points are one too early': [
    'artist.history.*[].date',
    currentArtists(showHistory('history.*[].date', (day: Day) => addDays(day, -1))),
  ],
  'the history of songs is left out': [
    'artist.songs[].history.*[].date',
    currentArtists(showHistory('songs[].history', gone)),
  ],
  'next_cursor is left out where there is none': [
    'envelope.meta.next_cursor',
    currentArtists(around('meta.next_cursor', (cursor: string | null) => cursor ?? undefined)),
  ],
  'the request id is another one than the header says': [
    'header.X-Request-Id',
    currentArtists(around('meta.request_id', () => '00000000-0000-4000-8000-000000000000')),
  ],
});

/** Faults in how both forms present spikes and signings. */
const signalFaults = presenterFaultsOf({
  'previous and current are swapped': [
    'spike.previous',
    variantSpikes({
      show: (wire) => ({ ...wire, previous: wire.current, current: wire.previous }),
    }),
  ],
  'percent_change is computed again, with one decimal': [
    'spike.percent_change',
    variantSpikes({
      show: (wire) => ({
        ...wire,
        percent_change: Math.round((wire.delta / wire.previous) * 1000) / 10,
      }),
    }),
  ],
  'period_days of the items is always 3': [
    'spike.window.days',
    variantSpikes(show('period_days', () => 3)),
  ],
  'tiktok is left out': ['spike.links.tiktok', variantSpikes(show('tiktok', gone))],
  'a tiktok that is not known is an empty text': [
    'spike.links.tiktok',
    variantSpikes({ show: (wire) => ({ ...wire, tiktok: wire.tiktok ?? '' }) }),
  ],
  'window.from is a day late': [
    'spike.window.from',
    currentSpikes(show('window.from', (day: Day) => addDays(day, 1))),
  ],
  'pline is the label that was detected': [
    'signing.label_songs[].p_line',
    variantSignings(
      show('label_songs[]', (song: Song) => ({ ...song, pline: song['label_detected'] })),
    ),
  ],
  'label_songs are in reverse order': [
    'signing.label_songs[].song_name',
    variantSignings(show('label_songs', backwards)),
  ],
  'total_label_songs is left at 1': [
    'signing.total_label_songs',
    variantSignings(show('total_label_songs', (total: number) => Math.min(1, total))),
  ],
  'labels_tracked come as they are stored': [
    'envelope._meta.labels_tracked[]',
    variantSignings(around('_meta.labels_tracked', backwards)),
  ],
  'the last tracked label is left out': [
    'envelope._meta.labels_tracked[]',
    variantSignings(
      around('_meta.labels_tracked', (labels: readonly string[]) => labels.slice(0, -1)),
    ),
  ],
  'checked_at is lost': [
    'signing.label_songs[].checked_at',
    currentSignings(show('label_songs[].checked_at', gone)),
  ],
  'basis forgets the reviewed status': [
    'signing.basis[]',
    currentSignings(
      show('basis', (basis: readonly string[]) => basis.filter((one) => one !== 'reviewed_status')),
    ),
  ],
  'the engine is not named': ['spike.engine.name', currentSpikes(show('engine', gone))],
});

/** Faults in how the forms present answers. */
export const presenterFaults = [...variantFaults, ...currentFaults, ...signalFaults];
