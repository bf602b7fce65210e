import { readSignedStatus } from './artist-rows.ts';
import type { MemberRow } from './rows.ts';

/** An item of the spikes. */
export const spikeRows: readonly MemberRow[] = [
  { kind: 'only current', current: 'artist_id', reason: 'The variant form names the artist without an identifier.' },
  { kind: 'same', current: 'artist_name', variant: 'artist_name', reason: 'The name of the artist.' },
  { kind: 'same', current: 'metric', variant: 'metric', reason: 'Which number moved.' },
  { kind: 'same', current: 'previous', variant: 'previous', reason: 'The value before.' },
  { kind: 'same', current: 'current', variant: 'current', reason: 'The value now.' },
  { kind: 'same', current: 'delta', variant: 'delta', reason: 'The difference of the two.' },
  {
    kind: 'same',
    current: 'percent_change',
    variant: 'percent_change',
    reason: 'Growth, computed once for both forms.',
  },
  {
    kind: 'moved',
    current: 'window.days',
    variant: 'period_days',
    reason: 'The comparison window stands in an object of its own, with its two days.',
  },
  { kind: 'only current', current: 'window.from', reason: 'The day of the value before.' },
  { kind: 'only current', current: 'window.to', reason: 'The day of the value now.' },
  { kind: 'only current', current: 'engine.name', reason: 'The variant form does not name the engine.' },
  { kind: 'only current', current: 'engine.version', reason: 'The variant form does not name the engine.' },
  { kind: 'moved', current: 'links.tiktok', variant: 'tiktok', reason: 'Links stand in an object of their own.' },
];

/** An item of the signings. */
export const signingRows: readonly MemberRow[] = [
  { kind: 'only current', current: 'artist_id', reason: 'The variant form names the artist without an identifier.' },
  { kind: 'same', current: 'artist_name', variant: 'artist_name', reason: 'The name of the artist.' },
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
  { kind: 'only current', current: 'label_songs[].song_id', reason: 'The variant form names the song alone.' },
  {
    kind: 'same',
    current: 'label_songs[].song_name',
    variant: 'label_songs[].song_name',
    reason: 'The name of the song.',
  },
  {
    kind: 'renamed',
    current: 'label_songs[].p_line',
    variant: 'label_songs[].pline',
    reason: 'The same P-line under another name.',
  },
  {
    kind: 'same',
    current: 'label_songs[].label_detected',
    variant: 'label_songs[].label_detected',
    reason: 'The tracked label in the P-line.',
  },
  { kind: 'only current', current: 'label_songs[].checked_at', reason: 'When the P-line was last read.' },
  {
    kind: 'same',
    current: 'total_label_songs',
    variant: 'total_label_songs',
    reason: 'How many songs name a tracked label.',
  },
  { kind: 'only current', current: 'basis[]', reason: 'Why the artist is on the list; the variant form does not say.' },
];
