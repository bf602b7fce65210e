import type { Day } from './day.ts';
import { createLabelDetector } from './labels.ts';
import type { Artist, Label, LabelSong, Signing, Tier } from './model.ts';
import { createNameIndex, type NameIndex } from './name-index.ts';
import { compareArtists, inNameOrder, type Position } from './order.ts';
import type { CatalogueContents, ListedArtist, Rejection } from './ports.ts';

/** The immutable shortlist with its indexes. A place is an index into `listed`, which is in list order. */
export interface Snapshot {
  readonly contents: CatalogueContents;
  readonly listed: readonly ListedArtist[];
  readonly byId: ReadonlyMap<string, number>;
  readonly byDocumentId: ReadonlyMap<string, number>;
  /** Ascending places. */
  readonly byTier: ReadonlyMap<string, readonly number[]>;
  readonly names: NameIndex;
  readonly labelSongs: ReadonlyMap<Artist, readonly LabelSong[]>;
  /** Everything that belongs on the signings list, with nothing hidden yet, in its order. */
  readonly signings: readonly Signing[];
  /** Alphabetical. */
  readonly labels: readonly string[];
  /** What the source left out, and the documents whose identifier was already taken. */
  readonly rejected: readonly Rejection[];
}

const withoutDuplicates = (contents: CatalogueContents) => {
  const kept: ListedArtist[] = [];
  const rejected: Rejection[] = [...contents.rejected];
  const ids = new Set<string>();
  const documentIds = new Set<string>();
  for (const listed of contents.artists) {
    const { id, documentId } = listed.artist;
    if (ids.has(id) || documentIds.has(documentId)) {
      const reason = `id ${id}: another artist with the same identifier is kept`;
      rejected.push({ collection: 'artists', document: documentId, reason });
      continue;
    }
    ids.add(id);
    documentIds.add(documentId);
    kept.push(listed);
  }
  return { kept, rejected };
};

const placesByTier = (listed: readonly ListedArtist[]): Map<string, number[]> => {
  const byTier = new Map<Tier, number[]>();
  for (const [place, { artist }] of listed.entries()) {
    if (artist.tier === undefined) continue;
    const places = byTier.get(artist.tier);
    if (places === undefined) byTier.set(artist.tier, [place]);
    else places.push(place);
  }
  return byTier;
};

const findLabelSongs = (artist: Artist, detect: (pLine: string) => string | undefined): readonly LabelSong[] =>
  artist.songs.flatMap((song) => {
    const pLine = song.rights?.pLine;
    const labelDetected = pLine === undefined ? undefined : detect(pLine);
    if (pLine === undefined || labelDetected === undefined) return [];
    return [{ songId: song.id, songName: song.name, pLine, labelDetected, checkedAt: song.rights?.checkedAt }];
  });

/** P-lines are read once: an artist that did not change keeps what was found, as long as the labels are the same. */
const labelSongsOf = (
  listed: readonly ListedArtist[],
  labels: readonly Label[],
  previous: Snapshot | undefined,
): Map<Artist, readonly LabelSong[]> => {
  const detect = createLabelDetector(labels);
  const known = previous?.contents.labels === labels ? previous.labelSongs : undefined;
  return new Map(listed.map(({ artist }) => [artist, known?.get(artist) ?? findLabelSongs(artist, detect)]));
};

const signingsOf = (labelSongs: ReadonlyMap<Artist, readonly LabelSong[]>): Signing[] => {
  const flagged = [...labelSongs.keys()].filter(
    (artist) => artist.signing.status === 'signed' || (labelSongs.get(artist) ?? []).length > 0,
  );
  return inNameOrder(flagged).map((artist) => {
    const songs = labelSongs.get(artist) ?? [];
    return {
      artistId: artist.id,
      artistName: artist.name,
      status: artist.signing.status,
      note: artist.signing.note,
      labelSongs: songs,
      basis: [
        ...(artist.signing.status === 'signed' ? (['reviewed_status'] as const) : []),
        ...(songs.length > 0 ? (['label_p_line'] as const) : []),
      ],
    };
  });
};

const alphabetical = (names: readonly string[]): string[] =>
  [...new Set(names)].sort((left, right) =>
    Buffer.compare(Buffer.from(left.toLowerCase()), Buffer.from(right.toLowerCase())),
  );

/**
 * Builds the shortlist from what a source loaded. Of artists with the same identifier the first is kept.
 *
 * @param previous the snapshot this one replaces: what did not change is taken over from it
 */
export const buildSnapshot = (contents: CatalogueContents, previous?: Snapshot): Snapshot => {
  if (previous?.contents === contents) return previous;
  const { kept, rejected } = withoutDuplicates(contents);
  const listed = kept.sort((left, right) => compareArtists(left.artist, right.artist));
  const labelSongs = labelSongsOf(listed, contents.labels, previous);
  return {
    contents,
    listed,
    byId: new Map(listed.map(({ artist }, place) => [artist.id, place])),
    byDocumentId: new Map(listed.map(({ artist }, place) => [artist.documentId, place])),
    byTier: placesByTier(listed),
    names: createNameIndex(listed.map(({ artist }) => artist.name)),
    labelSongs,
    signings: signingsOf(labelSongs),
    labels: alphabetical(contents.labels.map(({ name }) => name)),
    rejected,
  };
};

/** The first index of a sorted list for which `holds` is true; its length when there is none. */
export const firstWhere = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** The first place behind a position, whether or not an artist still stands there. */
export const placeAfter = (snapshot: Snapshot, position: Position): number =>
  firstWhere(snapshot.listed, ({ artist }) => compareArtists(artist, position) > 0);

/** The first place whose artist was added before a day, or at no known day: everything before it was added since. */
export const placeBefore = (snapshot: Snapshot, day: Day): number =>
  firstWhere(snapshot.listed, ({ artist }) => artist.dateAdded === undefined || artist.dateAdded < day);
