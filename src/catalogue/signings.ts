import type { Artist, Label, LabelSong, Signing } from '../domain/model.ts';
import { forEachYielding, type YieldingWork } from '../runtime/cooperative.ts';
import { type Memo, scopedLru, weakMemo } from '../runtime/memo.ts';
import { type LabelDetector, labelDetectorSteps } from './label-detector.ts';
import { inNameOrder, mergeByName } from './name-order.ts';

/** Artists that are signed, or have songs with a tracked label in their P-line. Nothing is hidden yet. */
export interface Signings {
  readonly labels: readonly Label[];
  readonly detector: LabelDetector;
  /** The songs of artists with these labels, for the next snapshot. */
  readonly labelSongs: Memo<Artist, undefined, readonly LabelSong[]>;
  /** Everything that belongs on the signings list, in its order. */
  readonly byArtist: ReadonlyMap<Artist, Signing>;
}

/** P-lines cached for one list of labels; the songs of an artist mostly carry the same one. */
const maxPLines = 1_000;

const cacheByPLine = (detect: LabelDetector): LabelDetector => {
  // A start with 10,000 artists builds its snapshot in 150 ms, and in 210 ms without this cache.
  // Bound: 1,000; key: P-line; lifetime: one snapshot's making, until dropped (LRU).
  const labels = scopedLru<LabelDetector, { readonly label: string | undefined }>(maxPLines);
  return (pLine) => labels(detect, () => ({ label: detect(pLine) }), pLine).label;
};

const createLabelSongs = () =>
  // A refresh of 10,000 artists takes 115 ms, and 140 ms without this cache.
  // Bound: one list for each artist; key: artist; lifetime: the artist, at most the list of labels.
  weakMemo<Artist, readonly LabelSong[]>();

const findLabelSongs = (artist: Artist, detect: LabelDetector): readonly LabelSong[] =>
  artist.songs.flatMap((song) => {
    const pLine = song.rights?.pLine;
    const labelDetected = pLine === undefined ? undefined : detect(pLine);
    if (pLine === undefined || labelDetected === undefined) return [];
    return [{ songId: song.id, songName: song.name, pLine, labelDetected, checkedAt: song.rights?.checkedAt }];
  });

const describeSigning = (artist: Artist, labelSongs: readonly LabelSong[]): Signing => ({
  artistId: artist.id,
  artistName: artist.name,
  status: artist.signing.status,
  note: artist.signing.note,
  labelSongs,
  basis: [
    ...(artist.signing.status === 'signed' ? (['reviewed_status'] as const) : []),
    ...(labelSongs.length > 0 ? (['label_p_line'] as const) : []),
  ],
});

/** In name order. Artists of the previous snapshot are already in order; only the others are sorted. */
function* orderSteps(before: Iterable<Artist>, flagged: Set<Artist>): YieldingWork<Artist[]> {
  const unchanged: Artist[] = [];
  yield* forEachYielding(before, (artist) => {
    if (flagged.delete(artist)) unchanged.push(artist);
  });
  const added = inNameOrder([...flagged]);
  yield;
  return yield* mergeByName(unchanged, added);
}

/**
 * Finds signings, yielding between steps. An unchanged artist keeps its signing while the list of labels is the same.
 */
export function* signingSteps(
  artists: readonly Artist[],
  labels: readonly Label[],
  previous: Signings | undefined,
): YieldingWork<Signings> {
  const known = previous?.labels === labels ? previous : undefined;
  const detector = known?.detector ?? (yield* labelDetectorSteps(labels));
  const detect = cacheByPLine(detector);
  const labelSongs = known?.labelSongs ?? createLabelSongs();
  const labelSongsOf = (artist: Artist) => labelSongs(artist, () => findLabelSongs(artist, detect));
  const flagged = new Set<Artist>();
  yield* forEachYielding(artists, (artist) => {
    if (artist.signing.status === 'signed' || labelSongsOf(artist).length > 0) flagged.add(artist);
  });
  const ordered = yield* orderSteps(known?.byArtist.keys() ?? [], flagged);
  yield;
  const byArtist = new Map<Artist, Signing>();
  yield* forEachYielding(ordered, (artist) =>
    byArtist.set(artist, known?.byArtist.get(artist) ?? describeSigning(artist, labelSongsOf(artist))),
  );
  return { labels, detector, labelSongs, byArtist };
}
