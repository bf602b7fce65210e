import { z } from 'zod';
import {
  type Artist,
  type ArtistIdentifiers,
  artistMetrics,
  artistSchema,
  type History,
  identifiersSchema,
  type Label,
  labelSchema,
  type Series,
  seriesSchema,
  songMetrics,
} from '../../../src/domain/model.ts';
import { type CollectionRules, membersOf } from './collection-reader.ts';
import { describeId } from './document-id.ts';
import { createInterner } from './intern.ts';
import { anyMember, itemsOf, parseDocument } from './parse-document.ts';
import { mapParsed, type Parsed } from './parse-result.ts';
import type { StoredDocument } from './stored-document.ts';
import { storedRules } from './stored-rules.ts';

// Parses documents of the catalogue into models, with their identifiers and unique keys. A schema
// reads only the fields it names: no other stored field can reach a response. A stored `null` is
// read as absent.

/** True if the metric fits the series: an artist's metric or, with a song id, a song's metric. */
export const isMetricOfIts = (songId: unknown, metric: unknown): boolean =>
  ((songId ?? undefined) === undefined ? artistMetrics : songMetrics).some(
    (name) => name === metric,
  );

/**
 * Compiled schemas parse twice as fast, for a shorter startup. zod parses rejected documents again,
 * so issues are the same.
 */
const artist = z.compile(artistSchema(storedRules), { strict: true });
const series = z.compile(
  seriesSchema(storedRules).refine(({ songId, metric }) => isMetricOfIts(songId, metric), {
    path: ['metric'],
    error: 'is not a metric of an artist (without song_id) or of a song (with it)',
  }),
  { strict: true },
);
const identifiers = identifiersSchema(storedRules);
const label = labelSchema(storedRules);

/** Parses a document of the collection `artists`. Leaves out invalid optional fields. */
export const parseArtist = (document: unknown): Parsed<Artist> =>
  parseDocument(artist, document, anyMember);

/** Parses a document of the collection `history`. Leaves out invalid points. */
export const parseSeries = (document: unknown): Parsed<Series> =>
  parseDocument(series, document, itemsOf('points'));

/** Parses only the identifiers of a document of the collection `artists`. */
export const parseIdentifiers = (document: unknown): Parsed<ArtistIdentifiers> =>
  parseDocument(identifiers, document);

export const parseLabel = (document: unknown): Parsed<Label> => parseDocument(label, document);

/** Creates the rules of artists, which share equal parts in memory. */
export const createArtistRules = (): CollectionRules<Artist> => {
  const intern = createInterner();
  return {
    collection: 'artists',
    read: (document) => mapParsed(parseArtist(document), intern),
    identify(document) {
      const { _id, id } = membersOf(document);
      return [_id, id].flatMap((one, index) =>
        typeof one === 'string' ? [`${index} ${one}`] : [],
      );
    },
    // The snapshot finds artists by either id.
    keyOf: ({ documentId, id }) => JSON.stringify([documentId, id]),
  };
};

const seriesKey = (artistId: unknown, songId: unknown, metric: unknown): string =>
  JSON.stringify([artistId, songId ?? null, metric]);

/** The key of a stored series, even if its other fields are invalid. */
export const storedSeriesKey = ({ artist_id, song_id, metric }: StoredDocument): string =>
  seriesKey(artist_id, song_id, metric);

export const seriesRules: CollectionRules<Series> = {
  collection: 'history',
  read: parseSeries,
  identify: () => [], // an unreadable series is left out of its history
  keyOf: ({ artistId, songId, metric }) => seriesKey(artistId, songId, metric),
};

/** A label in a file needs no `_id`: its name identifies it too. */
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

const orderOf = ({ songId = '', metric }: Series): string => `${songId} ${metric}`;

/**
 * Builds a history from an artist's series, ordered by song and metric regardless of the stored
 * order.
 *
 * @param complete true if all of it could be read
 */
export const toHistory = (series: readonly Series[], complete: boolean): History => ({
  series: [...series].sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1)),
  complete,
});
