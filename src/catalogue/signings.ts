import type { Artist, Label, LabelSong, Signing } from '../domain/model.ts';
import type { ListedArtist } from '../ports.ts';
import { forEachYielding, type YieldingWork } from '../runtime/cooperative.ts';
import { scopedLru } from '../runtime/memo.ts';
import { type LabelDetector, labelDetectorSteps } from './label-detector.ts';
import { inNameOrder, mergeByName } from './name-order.ts';
import type { Snapshot } from './snapshot.ts';

/** Artists that are signed, or have songs with a tracked label in their P-line. Nothing is hidden yet. */
export interface Signings {
  readonly labels: readonly Label[];
  readonly detector: LabelDetector;
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

const findLabelSongs = (artist: Artist, detect: LabelDetector): readonly LabelSong[] =>
  artist.songs.flatMap((song) => {
    const pLine = song.rights?.pLine;
    const labelDetected = pLine === undefined ? undefined : detect(pLine);
    if (pLine === undefined || labelDetected === undefined) return [];
    return [{ songId: song.id, songName: song.name, pLine, labelDetected, checkedAt: song.rights?.checkedAt }];
  });

/** `undefined` for an artist that is neither signed nor has such songs. */
const describeSigning = (artist: Artist, detect: LabelDetector): Signing | undefined => {
  const isSigned = artist.signing.status === 'signed';
  const labelSongs = findLabelSongs(artist, detect);
  if (!isSigned && labelSongs.length === 0) return undefined;
  return {
    artistId: artist.id,
    artistName: artist.name,
    status: artist.signing.status,
    note: artist.signing.note,
    labelSongs,
    basis: [
      ...(isSigned ? (['reviewed_status'] as const) : []),
      ...(labelSongs.length > 0 ? (['label_p_line'] as const) : []),
    ],
  };
};

type SigningsByArtist = Signings['byArtist'];

/** In name order. Artists of the previous snapshot are already in order; only the others are sorted. */
function* orderSteps(before: SigningsByArtist, found: SigningsByArtist): YieldingWork<Artist[]> {
  const unchanged: Artist[] = [];
  yield* forEachYielding(before.keys(), (artist) => {
    if (found.has(artist)) unchanged.push(artist);
  });
  const added: Artist[] = [];
  yield* forEachYielding(found.keys(), (artist) => {
    if (!before.has(artist)) added.push(artist);
  });
  const sorted = inNameOrder(added);
  yield;
  return yield* mergeByName(unchanged, sorted);
}

/**
 * Finds signings, yielding between steps. An unchanged artist keeps its signing, or has none again, while the list of labels is
 * the same.
 */
export function* signingSteps(
  listed: readonly ListedArtist[],
  labels: readonly Label[],
  previous: Snapshot | undefined,
): YieldingWork<Signings> {
  const known = previous?.found.labels === labels ? previous : undefined;
  const detector = known?.found.detector ?? (yield* labelDetectorSteps(labels));
  const detect = cacheByPLine(detector);
  const found = new Map<Artist, Signing>();
  yield* forEachYielding(listed, ({ artist }) => {
    const isKnown = known?.listed[known.byId.get(artist.id) ?? -1]?.artist === artist;
    const signing = isKnown ? known.found.byArtist.get(artist) : describeSigning(artist, detect);
    if (signing !== undefined) found.set(artist, signing);
  });
  const before: SigningsByArtist = known?.found.byArtist ?? new Map();
  const ordered = yield* orderSteps(before, found);
  yield;
  const byArtist = new Map<Artist, Signing>();
  yield* forEachYielding(ordered, (artist) => {
    const signing = found.get(artist);
    if (signing !== undefined) byArtist.set(artist, signing);
  });
  return { labels, detector, byArtist };
}
