import type { Artist, Label, LabelSong, Signing } from '../domain/model.ts';
import { forEachYielding, type YieldingWork } from '../runtime/cooperative.ts';
import { createLabelDetector, type LabelDetector } from './label-detector.ts';
import { inNameOrder, mergeByName } from './name-order.ts';

/** Who is signed, or has songs in whose P-line a tracked label is found. Nothing is hidden yet. */
export interface Signings {
  readonly labels: readonly Label[];
  readonly labelSongs: ReadonlyMap<Artist, readonly LabelSong[]>;
  /** Everything that belongs on the signings list, in its order. */
  readonly byArtist: ReadonlyMap<Artist, Signing>;
}

/** P-lines are looked at once: an artist's songs mostly carry the same, and a start looks at seventy thousand. */
const rememberLabels = (detect: LabelDetector): LabelDetector => {
  const known = new Map<string, string | undefined>();
  return (pLine) => {
    const label = known.get(pLine);
    if (label !== undefined || known.has(pLine)) return label;
    const found = detect(pLine);
    known.set(pLine, found);
    return found;
  };
};

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

/** In the order of names. Those that were there before are in order already, and only the others are sorted. */
function* orderSteps(before: Iterable<Artist>, flagged: Set<Artist>): YieldingWork<Artist[]> {
  const kept: Artist[] = [];
  yield* forEachYielding(before, (artist) => {
    if (flagged.delete(artist)) kept.push(artist);
  });
  const added = inNameOrder([...flagged]);
  yield;
  return yield* mergeByName(kept, added);
}

/**
 * Finds signings step by step; between two steps others may have their turn. An artist that did not change keeps what was
 * found, as long as the labels are the same.
 */
export function* signingSteps(
  artists: readonly Artist[],
  labels: readonly Label[],
  previous: Signings | undefined,
): YieldingWork<Signings> {
  const detect = rememberLabels(createLabelDetector(labels));
  const known = previous?.labels === labels ? previous : undefined;
  const labelSongs = new Map<Artist, readonly LabelSong[]>();
  const flagged = new Set<Artist>();
  yield* forEachYielding(artists, (artist) => {
    const songs = known?.labelSongs.get(artist) ?? findLabelSongs(artist, detect);
    labelSongs.set(artist, songs);
    if (artist.signing.status === 'signed' || songs.length > 0) flagged.add(artist);
  });
  const ordered = yield* orderSteps(known?.byArtist.keys() ?? [], flagged);
  yield;
  const byArtist = new Map<Artist, Signing>();
  yield* forEachYielding(ordered, (artist) =>
    byArtist.set(artist, known?.byArtist.get(artist) ?? describeSigning(artist, labelSongs.get(artist) ?? [])),
  );
  return { labels, labelSongs, byArtist };
}
