import { isList, type Json } from './json.ts';
import type { MemberRow } from './rows.ts';

/** The closed lists of keys that the stored format has for each map. */
const artistMetrics = [
  'spotify_streams',
  'monthly_listeners',
  'tiktok_followers',
  'instagram_followers',
  'social_score',
] as const;
const songMetrics = ['streams', 'ugc_tiktok', 'ugc_instagram'] as const;
const linkNames = ['spotify', 'tiktok', 'instagram', 'youtube', 'website'] as const;

/** A status that nobody has reviewed is absent in the current form and has a word in the variant form. */
export const readSignedStatus = (status: Json | undefined): Json => status ?? 'unknown';

/** How many items a list has. */
export const countItems = (list: Json | undefined): Json | undefined => (isList(list) ? list.length : undefined);

/** The rows of a history's points, below the member that holds the series. */
const historyRows = (series: string, keys: readonly string[], whose: string): MemberRow[] => {
  const row = (member: string, reason: string): MemberRow => ({
    kind: 'only current',
    current: `${series}[].${member}`,
    keys,
    when: { current: 'history' },
    reason,
  });
  return [
    row('date', `The day of a point of ${whose} history; the variant form shows no history.`),
    row('value', `The value on that day.`),
    row('estimated', 'Stands only where the value was estimated.'),
    row('stale', 'Stands only where the value was no longer fresh.'),
    row('terminal', 'Stands only where the series ended.'),
  ];
};

const songRows: readonly MemberRow[] = [
  { kind: 'same', current: 'songs[].id', variant: 'songs[].id', reason: 'Songs have one identifier in both forms.' },
  { kind: 'same', current: 'songs[].name', variant: 'songs[].name', reason: 'The name of the song.' },
  { kind: 'same', current: 'songs[].artwork', variant: 'songs[].artwork', reason: 'The address of the artwork.' },
  { kind: 'only current', current: 'songs[].preview_url', reason: 'The variant form shows no preview.' },
  { kind: 'only current', current: 'songs[].source_url', reason: 'The variant form does not link songs.' },
  { kind: 'only current', current: 'songs[].tiktok_url', reason: 'The variant form does not link songs.' },
  { kind: 'only current', current: 'songs[].added_at', reason: 'The variant form orders by it without showing it.' },
  ...songMetrics.map(
    (metric): MemberRow => ({
      kind: 'moved',
      current: `songs[].metrics.${metric}`,
      variant: `songs[].${metric}`,
      reason: 'The numbers of a song stand in its metrics; in the variant form beside its name.',
    }),
  ),
  ...historyRows('songs[].history.*', songMetrics, "a song's"),
  {
    kind: 'only current',
    current: 'songs[].rights.p_line',
    reason: 'The variant form shows P-lines in signings only.',
  },
  { kind: 'only current', current: 'songs[].rights.checked_at', reason: 'When the P-line was last read.' },
];

/** An artist, as lists, the detail and `/added` have it. */
export const artistRows: readonly MemberRow[] = [
  {
    kind: 'derived',
    current: 'id',
    variant: 'id',
    from: 'id',
    derive: (id, { documentIdOf }) => (typeof id === 'string' ? documentIdOf(id) : undefined),
    reason: 'Two identifiers of one artist: the stable one, and in the variant form that of the stored document.',
  },
  { kind: 'same', current: 'name', variant: 'name', reason: 'The name of the artist.' },
  { kind: 'renamed', current: 'photo_url', variant: 'photo', reason: 'The same address under another name.' },
  { kind: 'only current', current: 'genres[]', reason: 'The variant form shows no genres.' },
  { kind: 'only current', current: 'country_code', reason: 'The variant form shows no country.' },
  { kind: 'same', current: 'date_added', variant: 'date_added', reason: 'The day of the addition.' },
  { kind: 'same', current: 'tier', variant: 'tier', reason: 'Both forms have the same four tiers.' },
  {
    kind: 'only current',
    current: 'status.*',
    keys: ['active', 'verified', 'shortlisted', 'claimed'],
    reason: 'The variant form shows no flags.',
  },
  {
    kind: 'derived',
    current: 'signing.status',
    variant: 'signed_status',
    from: 'signing.status',
    derive: readSignedStatus,
    reason: 'What nobody has reviewed is absent; in the variant form it reads "unknown".',
  },
  {
    kind: 'scope-gated',
    scope: 'signing-notes:read',
    current: 'signing.note',
    reason: 'Only for keys with signing-notes:read; the variant form shows no notes.',
  },
  { kind: 'same', current: 'links.*', variant: 'links.*', keys: linkNames, reason: 'The same links.' },
  { kind: 'same', current: 'metrics.*', variant: 'metrics.*', keys: artistMetrics, reason: 'The same numbers.' },
  ...songRows.map(
    (row): MemberRow => (row.variant === undefined ? row : { ...row, when: { ...row.when, variant: 'every field' } }),
  ),
  {
    kind: 'derived',
    variant: 'total_songs',
    from: 'songs',
    derive: countItems,
    reason: 'The number of songs, told even where fields=basic leaves the songs out.',
  },
  ...historyRows('history.*', artistMetrics, "the artist's"),
  {
    kind: 'only current',
    current: 'freshness.*',
    keys: ['metrics', 'songs', 'history', 'signing'],
    reason: 'When each part was last brought up to date.',
  },
  { kind: 'only current', current: 'provenance.sources[]', reason: 'Where the data comes from.' },
  { kind: 'only current', current: 'provenance.method', reason: 'How the data was collected.' },
  { kind: 'only current', current: 'data_quality.complete', reason: 'Whether anything is missing.' },
  { kind: 'only current', current: 'data_quality.missing_metrics[]', reason: 'Which metrics are missing.' },
  { kind: 'only current', current: 'data_quality.estimated_points', reason: 'How many points are estimated.' },
  { kind: 'only current', current: 'data_quality.warnings[]', reason: 'What to be careful with.' },
  {
    kind: 'scope-gated',
    scope: 'editorial:read',
    current: 'editorial.scouting_report',
    variant: 'scouting_report',
    when: { variant: 'every field' },
    reason: 'Only for keys with editorial:read, in both forms; fields=basic leaves it out.',
  },
  {
    kind: 'scope-gated',
    scope: 'editorial:read',
    current: 'editorial.highlights[]',
    reason: 'Only for keys with editorial:read; the variant form shows the report alone.',
  },
  {
    kind: 'scope-gated',
    scope: 'editorial:read',
    current: 'editorial.updated_at',
    reason: 'Only for keys with editorial:read; the variant form shows the report alone.',
  },
];
