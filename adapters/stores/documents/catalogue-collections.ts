import type { Artist, Label, Series } from '../../../src/domain/model.ts';
import { parseArtist, parseLabel, parseSeries } from './catalogue-documents.ts';
import { type CollectionRules, membersOf } from './collection-reader.ts';
import { describeId } from './document-id.ts';
import { createInterner } from './intern.ts';
import { mapParsed } from './parse-result.ts';

// How the collections of the catalogue are read: what identifies their documents, and what is unique.

/** The rules of artists, whose equal parts are one in memory. */
export const createArtistRules = (): CollectionRules<Artist> => {
  const intern = createInterner();
  return {
    collection: 'artists',
    read: (document) => mapParsed(parseArtist(document), intern),
    identify(document) {
      const { _id, id } = membersOf(document);
      return [_id, id].flatMap((one, index) => (typeof one === 'string' ? [`${index} ${one}`] : []));
    },
    keyOf: ({ documentId, id }) => `${documentId} ${id}`, // the snapshot looks for either
  };
};

/** The key of a series, whether or not the stored members are valid. */
const seriesKey = (artistId: unknown, songId: unknown, metric: unknown): string =>
  JSON.stringify([artistId, songId ?? null, metric]);

export const seriesRules: CollectionRules<Series> = {
  collection: 'history',
  read: parseSeries,
  identify(document) {
    const { artist_id, song_id, metric } = membersOf(document);
    return [seriesKey(artist_id, song_id, metric)];
  },
  keyOf: ({ artistId, songId, metric }) => seriesKey(artistId, songId, metric),
};

/** A label of a file needs no `_id`: its name identifies it too. */
export const labelRules: CollectionRules<Label> = {
  collection: 'labels',
  read: parseLabel,
  identify(document) {
    const { _id, name } = membersOf(document);
    return [name, _id].flatMap((identifier, index) =>
      identifier === undefined ? [] : [`${index} ${describeId(identifier)}`],
    );
  },
  keyOf: ({ name }) => name,
};
