import type { Series } from '../../../src/domain/model.ts';
import type { StoredDocument } from '../mongodb/import.ts';

/** What tells a series from every other. */
export const seriesKeyOf = ({ artistId, songId, metric }: Pick<Series, 'artistId' | 'songId' | 'metric'>): string =>
  JSON.stringify([artistId, songId ?? null, metric]);

/** The same, of a document. */
export const seriesKeyIn = ({ artist_id, song_id, metric }: StoredDocument): string =>
  JSON.stringify([artist_id, song_id ?? null, metric]);
