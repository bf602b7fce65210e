import type { Artist, Label } from '../domain/model.ts';
import { compareSignings } from '../domain/order.ts';
import type { LabelDetector, LabelSong, Signing } from '../domain/signals.ts';
import type { CatalogueContents, ListedArtist } from '../ports.ts';
import { forEachInTurns, sortInTurns } from '../runtime/cooperative.ts';
import { createLabelDetector } from './label-detector.ts';

/**
 * Artists that are signed, or have songs with a tracked label in their P-line. Nothing is hidden
 * yet.
 */
export interface Signings {
  readonly labels: readonly Label[];
  readonly detector: LabelDetector;
  /** `undefined` for an artist that does not belong on the signings list. */
  readonly byArtist: ReadonlyMap<Artist, Signing | undefined>;
  /** In list order. */
  readonly inOrder: readonly Signing[];
}

/** Artists processed per step. A hundred artists with twenty songs each take a millisecond. */
const artistsPerStep = 100;

const findLabelSongs = (artist: Artist, detect: LabelDetector): readonly LabelSong[] =>
  artist.songs.flatMap((song) => {
    const pLine = song.rights?.pLine;
    const labelDetected = pLine === undefined ? undefined : detect(pLine);
    if (pLine === undefined || labelDetected === undefined) return [];
    return [
      {
        songId: song.id,
        songName: song.name,
        pLine,
        labelDetected,
        checkedAt: song.rights?.checkedAt,
      },
    ];
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

/**
 * Finds signings in steps between requests. Reuses the signings of `previous` artists if the list
 * of labels is the same.
 */
export const findSignings = async (
  listed: readonly ListedArtist[],
  { labels, detectLabel }: Pick<CatalogueContents, 'labels' | 'detectLabel'>,
  previous: Signings | undefined,
): Promise<Signings> => {
  const isSame = previous?.labels === labels && detectLabel === undefined;
  const known = isSame ? previous : undefined;
  const detector = detectLabel ?? known?.detector ?? (await createLabelDetector(labels));
  const byArtist = new Map<Artist, Signing | undefined>();
  await forEachInTurns(
    listed,
    ({ artist }) => {
      const isKnown = known?.byArtist.has(artist) === true;
      byArtist.set(
        artist,
        isKnown ? known.byArtist.get(artist) : describeSigning(artist, detector),
      );
    },
    artistsPerStep,
  );
  const found = [...byArtist.values()].filter((signing) => signing !== undefined);
  return { labels, detector, byArtist, inOrder: await sortInTurns(found, compareSignings) };
};
