import { signingNoteRow, signingStatusRow } from './artist-rows.ts';
import { type MemberRow, moved, onlyCurrent, renamed, same } from './rows.ts';

const artistIdRow = onlyCurrent(
  'artist_id',
  'The variant form names the artist without an identifier.',
);

/** An item of the spikes. */
export const spikeRows: readonly MemberRow[] = [
  artistIdRow,
  same('artist_name', 'The name of the artist.'),
  same('metric', 'Which number moved.'),
  same('previous', 'The value before.'),
  same('current', 'The value now.'),
  same('delta', 'The difference of the two.'),
  same('percent_change', 'Growth, computed once for both forms.'),
  moved(
    'window.days',
    'period_days',
    'The comparison window is an object of its own, with its two days.',
  ),
  onlyCurrent('window.from', 'The day of the value before.'),
  onlyCurrent('window.to', 'The day of the value now.'),
  onlyCurrent('engine.name', 'The variant form does not name the engine.'),
  onlyCurrent('engine.version', 'The variant form does not name the engine.'),
  moved('links.tiktok', 'tiktok', 'Links are in an object of their own.'),
];

/** An item of the signings. */
export const signingRows: readonly MemberRow[] = [
  artistIdRow,
  same('artist_name', 'The name of the artist.'),
  signingStatusRow,
  signingNoteRow,
  onlyCurrent('label_songs[].song_id', 'The variant form names the song alone.'),
  same('label_songs[].song_name', 'The name of the song.'),
  renamed('label_songs[].p_line', 'label_songs[].pline', 'The same P-line under another name.'),
  same('label_songs[].label_detected', 'The tracked label in the P-line.'),
  onlyCurrent('label_songs[].checked_at', 'When the P-line was last read.'),
  same('total_label_songs', 'How many songs name a tracked label.'),
  onlyCurrent('basis[]', 'Why the artist is on the list; the variant form does not say.'),
];
