import { aboveThreshold, changeBetween } from '../../../adapters/compare/checks/expected-spikes.ts';
import { daysBefore } from './random-shortlist.ts';
import type { Shortlist, StoredArtist, StoredPoint, StoredSong } from './stored-shortlist.ts';

/**
 * What the specification and the decisions say about lists, written a second time, from their text alone and without a
 * thought for speed. Tests compare the gateway's answers with it. It imports nothing of the gateway.
 */

/** Compares texts by code point. */
export const byCodePoints = (left: string, right: string): number => {
  const [ofLeft, ofRight] = [[...left], [...right]].map((list) => list.map((one) => one.codePointAt(0) ?? 0));
  for (const [index, point] of (ofLeft ?? []).entries()) {
    const difference = point - (ofRight?.[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return (ofLeft?.length ?? 0) - (ofRight?.length ?? 0);
};

/** Newest first, a missing one last, then by id. */
const newestFirst = (left: readonly [string | undefined, string], right: readonly [string | undefined, string]) => {
  if (left[0] === right[0]) return byCodePoints(left[1], right[1]);
  if (left[0] === undefined) return 1;
  if (right[0] === undefined) return -1;
  return left[0] < right[0] ? 1 : -1;
};

/** Where a page ended. */
export interface EndOfPage {
  readonly date_added?: string;
  readonly id: string;
}

export const isAfter = (artist: EndOfPage, end: EndOfPage): boolean =>
  newestFirst([artist.date_added, artist.id], [end.date_added, end.id]) > 0;

export const inListOrder = (artists: readonly StoredArtist[]): StoredArtist[] =>
  [...artists].sort((left, right) => newestFirst([left.date_added, left.id], [right.date_added, right.id]));

export const songsInOrder = ({ songs }: StoredArtist): StoredSong[] =>
  [...songs].sort((left, right) => newestFirst([left.added_at, left.id], [right.added_at, right.id]));

/** Case is ignored by lower-casing, upper-casing and lower-casing again, code point by code point, then NFC. */
export const ignoringCase = (text: string): string =>
  [...text.normalize('NFC')]
    .map((point) => point.toLowerCase().toUpperCase().toLowerCase())
    .join('')
    .normalize('NFC');

/** Added so many days before today or later, and not after today; never without a day. */
export const isAddedWithin = ({ date_added }: StoredArtist, days: number, today: string): boolean => {
  if (date_added === undefined || date_added > today) return false;
  return days > 800_000 || date_added >= daysBefore(today, days); // 800,000 days ago there was no year 1 yet
};

/** The series of an artist, or of one of its songs, by metric. `{}` where there is none. */
export const historyOf = ({ history }: Shortlist, artistId: string, songId?: string) =>
  Object.fromEntries(
    history
      .filter(({ artist_id, song_id }) => artist_id === artistId && song_id === songId)
      .map(({ metric, points }) => [metric, points.map(presentPoint)]),
  );

/** Flags appear only when they are true. */
const presentPoint = ({ date, value, estimated, stale, terminal }: StoredPoint) => ({
  date,
  value,
  ...(estimated ? { estimated } : {}),
  ...(stale ? { stale } : {}),
  ...(terminal ? { terminal } : {}),
});

const isTrusted = ({ estimated, stale, terminal }: StoredPoint): boolean => !estimated && !stale && !terminal;

export interface ExpectedSpike {
  readonly artist: StoredArtist;
  readonly metric: string;
  readonly previous: StoredPoint;
  readonly current: StoredPoint;
  readonly delta: number;
  readonly percent: number;
}

const lastTrusted = (points: readonly StoredPoint[], from: string, to: string): StoredPoint | undefined =>
  points.filter((point) => isTrusted(point) && point.date >= from && point.date <= to).at(-1);

/** Spikes over a window, with the floor of 1,000 and the threshold of 20 % that the gateway starts with. */
export const spikesOf = ({ artists, history }: Shortlist, days: number, today: string): ExpectedSpike[] =>
  history
    .flatMap(({ artist_id, song_id, metric, points }): ExpectedSpike[] => {
      const artist = artists.find(({ id }) => id === artist_id);
      const current = lastTrusted(points, daysBefore(today, 2), today);
      if (artist === undefined || song_id !== undefined || current === undefined) return [];
      const previous = lastTrusted(points, daysBefore(current.date, days + 2), daysBefore(current.date, days));
      if (previous === undefined || previous.value < 1_000) return [];
      const pair = { previous: previous.value, current: current.value };
      if (aboveThreshold(pair, { thresholdPercent: 20 }) < 0) return [];
      const { delta, percent_change: percent } = changeBetween(pair.previous, pair.current);
      return [{ artist, metric, previous, current, delta, percent }];
    })
    .sort(
      (left, right) =>
        right.percent - left.percent ||
        right.delta - left.delta ||
        byCodePoints(left.artist.id, right.artist.id) ||
        byCodePoints(left.metric, right.metric),
    );

/** The words of a text when punctuation parts words, or when it counts as nothing. */
const wordsOf = (text: string, punctuation: ' ' | ''): string[] =>
  ignoringCase(text)
    .replaceAll(/[\p{P}\p{S}]/gu, punctuation)
    .split(/\s+/)
    .filter((word) => word !== '');

const detectUnder = ({ labels }: Shortlist, pLine: string, punctuation: ' ' | ''): string | undefined => {
  const words = wordsOf(pLine, punctuation);
  const spellings = labels.flatMap(({ name, aliases }) =>
    [name, ...aliases].map((text) => ({ name, words: wordsOf(text, punctuation) })),
  );
  for (const index of words.keys()) {
    const here = spellings.filter((spelling) => spelling.words.every((word, at) => words[index + at] === word));
    const [longest] = here.sort((left, right) => right.words.length - left.words.length);
    if (longest !== undefined) return longest.name;
  }
  return undefined;
};

/** The label that a P-line names: punctuation parts words, and only where that detects nothing it counts as nothing. */
const detect = (shortlist: Shortlist, pLine: string): string | undefined =>
  detectUnder(shortlist, pLine, ' ') ?? detectUnder(shortlist, pLine, '');

export interface ExpectedSigning {
  readonly artist: StoredArtist;
  readonly songs: readonly { readonly song: StoredSong; readonly pLine: string; readonly label: string }[];
}

export const signingsOf = (shortlist: Shortlist): ExpectedSigning[] =>
  shortlist.artists
    .map((artist) => ({
      artist,
      songs: songsInOrder(artist).flatMap((song) => {
        const pLine = song.rights?.p_line;
        const label = pLine === undefined ? undefined : detect(shortlist, pLine);
        return pLine === undefined || label === undefined ? [] : [{ song, pLine, label }];
      }),
    }))
    .filter(({ artist, songs }) => artist.signing.status === 'signed' || songs.length > 0)
    .sort(
      (left, right) =>
        byCodePoints(left.artist.name.toLowerCase(), right.artist.name.toLowerCase()) ||
        byCodePoints(left.artist.id, right.artist.id),
    );
