import { isList, type Json } from '../../../src/domain/json.ts';
import {
  artistMetrics,
  freshnessParts,
  linkNames,
  songMetrics,
  statusFlags,
} from '../../../src/domain/model.ts';
import { type MemberRow, moved, onlyCurrent, renamed, same } from './rows.ts';

const countItems = (list: Json | undefined): Json | undefined =>
  isList(list) ? list.length : undefined;

const signingStatusRow: MemberRow = {
  kind: 'derived',
  current: 'signing.status',
  variant: 'signed_status',
  from: 'signing.status',
  derive: (status) => status ?? 'unknown',
  toDo: 'read; if absent, use "unknown"',
  reason: 'Absent if not reviewed; the variant form then sends "unknown".',
};

const signingNoteRow: MemberRow = {
  kind: 'scope-gated',
  scope: 'signing-notes:read',
  current: 'signing.note',
  reason: 'Only for keys with signing-notes:read; the variant form shows no notes.',
};

const historyRows = (series: string, keys: readonly string[], whose: string): MemberRow[] => {
  const row = (member: string, reason: string) =>
    onlyCurrent(`${series}[].${member}`, reason, { keys, presentIf: { current: 'history' } });
  return [
    row('date', `The day of a point of ${whose} history; the variant form shows no history.`),
    row('value', 'The value on that day.'),
    row('estimated', 'Present only if the value was estimated.'),
    row('stale', 'Present only if the value was stale.'),
    row('terminal', 'Present only if the series ended.'),
  ];
};

const songRows: readonly MemberRow[] = [
  same('songs[].id', 'Songs have one identifier in both forms.'),
  same('songs[].name', 'The name of the song.'),
  same('songs[].artwork', 'The address of the artwork.'),
  onlyCurrent('songs[].preview_url', 'The variant form shows no preview.'),
  onlyCurrent('songs[].source_url', 'The variant form does not link songs.'),
  onlyCurrent('songs[].tiktok_url', 'The variant form does not link songs.'),
  onlyCurrent('songs[].added_at', 'The variant form orders by it without showing it.'),
  ...songMetrics.map((metric) =>
    moved(
      `songs[].metrics.${metric}`,
      `songs[].${metric}`,
      'A song’s numbers are in its metrics; in the variant form next to its name.',
    ),
  ),
  ...historyRows('songs[].history.*', songMetrics, "a song's"),
  onlyCurrent('songs[].rights.p_line', 'The variant form shows P-lines in signings only.'),
  onlyCurrent('songs[].rights.checked_at', 'When the P-line was last read.'),
];

const editorialRow = (
  member: string,
  more: { readonly variant?: string; readonly reason: string },
): MemberRow => ({
  kind: 'scope-gated',
  scope: 'editorial:read',
  current: `editorial.${member}`,
  ...(more.variant !== undefined && { presentIf: { variant: 'every field' } }),
  ...more,
});
const onlyTheReport = 'Only for keys with editorial:read; the variant form shows only the report.';

export const artistRows: readonly MemberRow[] = [
  {
    kind: 'derived',
    current: 'id',
    variant: 'id',
    from: 'id',
    derive: (id, { documentIdOf }) => (typeof id === 'string' ? documentIdOf(id) : undefined),
    toDo: 'look up in ids.csv',
    reason:
      'An artist has two identifiers: a stable one, and in the variant form its document identifier.',
  },
  same('name', 'The name of the artist.'),
  renamed('photo_url', 'photo', 'The same address under another name.'),
  onlyCurrent('genres[]', 'The variant form shows no genres.'),
  onlyCurrent('country_code', 'The variant form shows no country.'),
  same('date_added', 'The day the artist was added.'),
  same('tier', 'Both forms have the same four tiers.'),
  onlyCurrent('status.*', 'The variant form shows no flags.', {
    keys: statusFlags,
  }),
  signingStatusRow,
  signingNoteRow,
  same('links.*', 'The same links.', { keys: linkNames }),
  same('metrics.*', 'The same numbers.', { keys: artistMetrics }),
  ...songRows.map(
    (row): MemberRow =>
      row.variant === undefined
        ? row
        : { ...row, presentIf: { ...row.presentIf, variant: 'every field' } },
  ),
  {
    kind: 'derived',
    variant: 'total_songs',
    from: 'songs',
    derive: countItems,
    reason: 'The number of songs, sent even if fields=basic omits the songs.',
  },
  ...historyRows('history.*', artistMetrics, "the artist's"),
  onlyCurrent('freshness.*', 'When each part was last updated.', {
    keys: freshnessParts,
  }),
  onlyCurrent('provenance.sources[]', 'Where the data comes from.'),
  onlyCurrent('provenance.method', 'How the data was collected.'),
  onlyCurrent('data_quality.complete', 'False if data is missing.'),
  onlyCurrent('data_quality.missing_metrics[]', 'Which metrics are missing.'),
  onlyCurrent('data_quality.estimated_points', 'How many points are estimated.'),
  onlyCurrent('data_quality.warnings[]', 'Other known weaknesses.'),
  editorialRow('scouting_report', {
    variant: 'scouting_report',
    reason: 'Only for keys with editorial:read, in both forms; fields=basic leaves it out.',
  }),
  editorialRow('highlights[]', { reason: onlyTheReport }),
  editorialRow('updated_at', { reason: onlyTheReport }),
];

const artistIdRow = onlyCurrent(
  'artist_id',
  'The variant form names the artist without an identifier.',
);

export const spikeRows: readonly MemberRow[] = [
  artistIdRow,
  same('artist_name', 'The name of the artist.'),
  same('metric', 'The metric that grew.'),
  same('previous', 'The earlier value.'),
  same('current', 'The latest value.'),
  same('delta', 'The difference between the two.'),
  same('percent_change', 'Growth, computed once for both forms.'),
  moved(
    'window.days',
    'period_days',
    'The comparison window is a separate object, with both days.',
  ),
  onlyCurrent('window.from', 'The day of the earlier value.'),
  onlyCurrent('window.to', 'The day of the latest value.'),
  onlyCurrent('engine.name', 'The variant form does not name the engine.'),
  onlyCurrent('engine.version', 'The variant form does not name the engine.'),
  moved('links.tiktok', 'tiktok', 'Links are in a separate object.'),
];

export const signingRows: readonly MemberRow[] = [
  artistIdRow,
  same('artist_name', 'The name of the artist.'),
  signingStatusRow,
  signingNoteRow,
  onlyCurrent('label_songs[].song_id', 'The variant form has only the name of the song.'),
  same('label_songs[].song_name', 'The name of the song.'),
  renamed('label_songs[].p_line', 'label_songs[].pline', 'The same P-line under another name.'),
  same('label_songs[].label_detected', 'The tracked label in the P-line.'),
  onlyCurrent('label_songs[].checked_at', 'When the P-line was last read.'),
  same('total_label_songs', 'How many songs name a tracked label.'),
  onlyCurrent('basis[]', 'Why the artist is on the list; the variant form does not say.'),
];
