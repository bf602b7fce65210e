import { addDays } from '../../../src/domain/day.ts';
import { type Fault, variantArtists } from './faulty.ts';
import { without } from './without.ts';

const group = 'presenter';

/** Faults in how the variant form presents artists. */
export const variantPresenterFaults: readonly Fault[] = [
  { group, name: 'photo is left out', forms: variantArtists({ full: (wire) => without(wire, 'photo') }) },
  {
    group,
    name: 'streams come from ugc_tiktok',
    forms: variantArtists({
      full: (wire) => ({ ...wire, songs: wire.songs?.map((song) => ({ ...song, streams: song.ugc_tiktok })) }),
    }),
  },
  {
    group,
    name: 'ugc_tiktok and ugc_instagram are swapped',
    forms: variantArtists({
      full: (wire) => ({
        ...wire,
        songs: wire.songs?.map((song) => ({ ...song, ugc_tiktok: song.ugc_instagram, ugc_instagram: song.ugc_tiktok })),
      }),
    }),
  },
  {
    group,
    name: 'a status without a review reads unsigned',
    forms: variantArtists({ full: (wire, { signing }) => ({ ...wire, signed_status: signing.status ?? 'unsigned' }) }),
  },
  {
    group,
    name: 'total_songs counts songs with streams only',
    forms: variantArtists({
      full: (wire, { songs }) => ({ ...wire, total_songs: songs.filter(({ metrics }) => metrics.streams).length }),
    }),
  },
  { group, name: 'id is the stable one', forms: variantArtists({ full: (wire, { id }) => ({ ...wire, id }) }) },
  {
    group,
    name: 'date_added is a day late',
    forms: variantArtists({
      full: (wire) => ({ ...wire, date_added: wire.date_added && addDays(wire.date_added, 1) }),
    }),
  },
  {
    group,
    name: 'scouting_report is the first highlight',
    forms: variantArtists({
      full: (wire, { editorial }) => ({ ...wire, scouting_report: editorial?.highlights?.[0] }),
    }),
  },
  {
    group,
    name: 'numbers are rounded',
    forms: variantArtists({
      full: (wire) => ({
        ...wire,
        metrics: Object.fromEntries(
          Object.entries(wire.metrics).map(([name, value]) => [name, Math.round(Number(value))]),
        ),
      }),
    }),
  },
  {
    group,
    name: 'https becomes http in links',
    forms: variantArtists({
      full: (wire) => ({
        ...wire,
        links: Object.fromEntries(
          Object.entries(wire.links).map(([name, url]) => [name, String(url).replace('https', 'http')]),
        ),
      }),
    }),
  },
  {
    group,
    name: 'unknown is null',
    forms: variantArtists({ full: (wire) => ({ ...wire, photo: wire.photo ?? null }) }),
  },
  {
    group,
    name: 'fields=basic keeps the songs',
    forms: variantArtists({
      basic: (wire, { songs }) => ({ ...wire, songs: songs.map(({ id, name }) => ({ id, name })) }),
    }),
  },
  {
    group,
    name: 'fields=basic drops total_songs',
    forms: variantArtists({ basic: (wire) => without(wire, 'total_songs') }),
  },
  {
    group,
    name: 'a zero is taken for unknown',
    forms: variantArtists({
      full: (wire) => ({
        ...wire,
        metrics: Object.fromEntries(Object.entries(wire.metrics).filter(([, value]) => value !== 0)),
      }),
    }),
  },
  {
    group,
    name: 'count is one too many',
    forms: variantArtists({ around: (envelope) => ({ ...envelope, count: Number(envelope['count']) + 1 }) }),
  },
  {
    group,
    name: 'success is left out',
    forms: variantArtists({ around: ({ success: _success, ...envelope }) => envelope }),
  },
  {
    group,
    name: 'timestamp has no milliseconds',
    forms: variantArtists({
      around: (envelope) => ({
        ...envelope,
        _meta: { ...Object(envelope['_meta']), timestamp: '2026-08-22T12:00:00Z' },
      }),
    }),
  },
];
