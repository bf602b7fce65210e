import { z } from 'zod';
import {
  type Artist,
  type ArtistIdentifiers,
  artistMetrics,
  type History,
  type Label,
  type Series,
  songMetrics,
} from '../../../src/domain/model.ts';
import { artist, identifiers, label, type StoredPoint, series } from './catalogue-members.ts';
import { membersOf } from './collection-reader.ts';
import { anyMember, itemsOf, parseLeniently } from './parse-leniently.ts';
import { mapParsed, type Parsed, parseWith } from './parse-result.ts';

// How documents of the catalogue become models. A schema reads only the members it names: no other member of a stored
// document can reach a response. A stored `null` is read as absent.

const isMetricOfIts = (stored: unknown): boolean => {
  const { song_id, metric } = membersOf(stored);
  return ((song_id ?? undefined) === undefined ? artistMetrics : songMetrics).some((name) => name === metric);
};

const ascends = (stored: unknown): boolean => {
  const points = membersOf(stored)['points'] as readonly StoredPoint[]; // accepted by then
  return points.every(({ date }, index) => index === 0 || date > (points[index - 1]?.date ?? ''));
};

const seriesSchema = series.schema
  .refine(ascends, { path: ['points'], error: 'must ascend by date, one point a day' })
  .refine(isMetricOfIts, {
    path: ['metric'],
    error: 'is not a metric of an artist (without song_id) or of a song (with it)',
  });

/** Compiled schemas parse twice as fast, which shortens the start. zod parses what they refuse again, so issues are the same. */
const compiledArtist = z.compile(artist.schema, { strict: true });
const compiledSeries = z.compile(seriesSchema, { strict: true });

/** Parses a document of the collection `artists`. An optional member that is not valid is left out. */
export const parseArtist = (document: unknown): Parsed<Artist> =>
  mapParsed(parseLeniently(compiledArtist, document, anyMember), artist.toModel);

/** Parses a document of the collection `history`. A point that is not valid is left out. */
export const parseSeries = (document: unknown): Parsed<Series> =>
  mapParsed(parseLeniently(compiledSeries, document, itemsOf('points')), series.toModel);

/** The identifiers of a document of the collection `artists`, without the rest of it. */
export const parseIdentifiers = (document: unknown): Parsed<ArtistIdentifiers> =>
  mapParsed(parseWith(identifiers.schema, document), identifiers.toModel);

/** Parses a document of the collection `labels`. */
export const parseLabel = (document: unknown): Parsed<Label> =>
  mapParsed(parseWith(label.schema, document), label.toModel);

const seriesKey = ({ songId = '', metric }: Series): string => `${songId} ${metric}`;

/** The history made of an artist's series, ordered by song and metric regardless of the stored order. */
export const toHistory = (series: readonly Series[]): History => ({
  series: [...series].sort((left, right) => (seriesKey(left) < seriesKey(right) ? -1 : 1)),
});
