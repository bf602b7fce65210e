import type { DocumentIssue } from '../../adapters/stores/documents/parse-result.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { sum } from '../../src/domain/quantities.ts';
import { type CheckedInput, checkInput, type InputArtist, songIdsIn } from './check-input.ts';
import type { InputFile } from './input-files.ts';

/**
 * Why a series cannot exist, by the ids of its artist's songs (`undefined` without such an artist).
 */
export const orphanIssues = (
  { artist_id: artistId, song_id: songId }: StoredDocument,
  songs: ReadonlySet<unknown> | undefined,
): readonly DocumentIssue[] => {
  if (songs === undefined)
    return [{ path: 'artist_id', message: `no valid artist has the id ${artistId}` }];
  if ((songId ?? undefined) === undefined || songs.has(songId)) return [];
  return [{ path: 'song_id', message: `the artist ${artistId} has no song ${songId}` }];
};

/** Rejects series of these artists whose artist or song is neither in the input nor stored. */
export const refuseOrphans = (
  { series, artists, found }: CheckedInput,
  artistIds: Iterable<string>,
  stored: readonly StoredDocument[],
): void => {
  const storedSongs = new Map(stored.map((artist) => [String(artist['id']), songIdsIn(artist)]));
  for (const artistId of artistIds) {
    const songs = artists.get(artistId)?.songIds ?? storedSongs.get(artistId);
    for (const one of series.get(artistId)?.values() ?? []) {
      const issues = orphanIssues({ artist_id: artistId, song_id: one.songId }, songs);
      for (const issue of issues) found.add(one, issue);
    }
  }
};

const notInInput = {
  path: 'artist_id',
  message: 'is of no valid artist in the input: an import refuses it unless that artist is stored',
};

const warningUnknownArtists = ({ series, artists, found }: CheckedInput): number => {
  let unknown = 0;
  for (const [artistId, own] of series) {
    if (artists.has(artistId)) continue;
    unknown += own.size;
    for (const one of own.values()) found.warning(one, notInInput);
  }
  return unknown;
};

/**
 * Checks the input without a database. `valid` counts documents with a unique key that refer to
 * documents in the input.
 */
export const validateInput = async (
  files: readonly InputFile[],
  options: Parameters<typeof checkInput>[1],
) => {
  const checked = await checkInput(files, options);
  const before = checked.found.result().total;
  let unknown = 0;
  // Without a file of artists all series are of stored ones, which only an import can check.
  if (checked.collections.has('artists') && !checked.found.isFull()) {
    refuseOrphans(checked, checked.artists.keys(), []);
    unknown = warningUnknownArtists(checked);
  }
  const result = checked.found.result();
  const series =
    sum([...checked.series.values()].map(({ size }) => size)) - (result.total - before) - unknown;
  return {
    ...result,
    valid: { artists: checked.artists.size, series, labels: checked.labels.size },
  };
};

/**
 * Rejects artists whose pair of ids differs from the stored pair: a stored `_id` never changes, and
 * partners of each form know an artist by one of the two.
 */
export const refuseIdConflicts = (
  artists: readonly InputArtist[],
  stored: readonly StoredDocument[],
  { found }: CheckedInput,
): void => {
  const byId = new Map(stored.map((artist) => [String(artist['id']), artist]));
  const byDocumentId = new Map(stored.map((artist) => [String(artist['_id']), artist]));
  for (const artist of artists) {
    const { key: id, documentId } = artist;
    const [sameId, sameDocument] = [byId.get(id), byDocumentId.get(documentId)];
    if (sameId !== undefined && String(sameId['_id']) !== documentId) {
      const message = `${id} is stored with the _id ${String(sameId['_id'])}: use that one`;
      found.add(artist, { path: '_id', message });
    } else if (sameDocument !== undefined && String(sameDocument['id']) !== id) {
      const message = `${documentId} is stored with the id ${String(sameDocument['id'])}: use that one`;
      found.add(artist, { path: 'id', message });
    }
  }
};
