import { z } from 'zod';
import {
  type Artist,
  type ArtistIdentifiers,
  artistMetrics,
  freshnessParts,
  type History,
  type Label,
  linkNames,
  type Series,
  signingStatuses,
  songMetrics,
  statusFlags,
  tiers,
} from '../../../src/domain/model.ts';
import { compareSongs } from '../../../src/domain/order.ts';
import {
  countryCode,
  day,
  dayOrInstant,
  documentId,
  instant,
  known,
  maybe,
  metric,
  text,
  url,
} from './field-schemas.ts';
import { anyMember, itemsOf, parseLeniently } from './parse-leniently.ts';
import { mapParsed, type Parsed, parseWith } from './parse-result.ts';

// How documents of the catalogue become models. A schema reads only the members it names: no other member of a stored
// document can reach a response. A stored `null` is read as absent.

const songDocument = z
  .object({
    id: text,
    name: text,
    artwork: maybe(url),
    preview_url: maybe(url),
    source_url: maybe(url),
    tiktok_url: maybe(url),
    added_at: maybe(dayOrInstant),
    metrics: known(songMetrics, metric),
    rights: maybe(z.object({ p_line: maybe(text), checked_at: maybe(dayOrInstant) })),
  })
  .transform((song) => ({
    id: song.id,
    name: song.name,
    artwork: song.artwork,
    previewUrl: song.preview_url,
    sourceUrl: song.source_url,
    tiktokUrl: song.tiktok_url,
    addedAt: song.added_at,
    metrics: song.metrics,
    rights: song.rights && { pLine: song.rights.p_line, checkedAt: song.rights.checked_at },
  }));

/** Characters of a stable id: a cursor holds one and must fit a query. */
export const maxIdLength = 200;

const artistDocument = z.object({
  _id: documentId,
  id: text.max(maxIdLength),
  name: text.max(1000),
  photo_url: maybe(url),
  genres: maybe(z.array(text)),
  country_code: maybe(countryCode),
  date_added: maybe(day),
  tier: maybe(z.enum(tiers)),
  status: known(statusFlags, z.boolean()),
  signing: z.object({ status: maybe(z.enum(signingStatuses)), note: maybe(text) }),
  links: known(linkNames, url),
  metrics: known(artistMetrics, metric),
  songs: z.array(songDocument),
  freshness: known(freshnessParts, dayOrInstant),
  provenance: z.object({ sources: maybe(z.array(text)), method: maybe(text) }),
  data_quality: z.object({
    complete: maybe(z.boolean()),
    missing_metrics: maybe(z.array(text)),
    estimated_points: maybe(z.int()),
    warnings: maybe(z.array(text)),
  }),
  editorial: maybe(
    z.object({ scouting_report: maybe(text), highlights: maybe(z.array(text)), updated_at: maybe(dayOrInstant) }),
  ),
  updated_at: instant,
});

const pointDocument = z
  .object({
    date: day,
    value: metric,
    estimated: maybe(z.boolean()),
    stale: maybe(z.boolean()),
    terminal: maybe(z.boolean()),
  })
  .transform(({ date, value, estimated, stale, terminal }) => ({
    date,
    value,
    estimated: estimated ?? false,
    stale: stale ?? false,
    terminal: terminal ?? false,
  }));

const points = z
  .array(pointDocument)
  .refine((list) => list.every((point, index) => index === 0 || point.date > (list[index - 1]?.date ?? '')), {
    error: 'must ascend by date, one point a day',
  });

const seriesDocument = z
  .object({
    artist_id: text,
    song_id: maybe(text),
    metric: z.enum([...artistMetrics, ...songMetrics]),
    points,
  })
  .refine(
    ({ song_id, metric }) => (song_id === undefined ? artistMetrics : songMetrics).some((name) => name === metric),
    {
      path: ['metric'],
      error: 'is not a metric of an artist (without song_id) or of a song (with it)',
    },
  );

const labelDocument = z.object({ name: text, aliases: z.array(text) });

const identifiersDocument = artistDocument.pick({ _id: true, id: true });

/** Compiled schemas parse twice as fast, which shortens the start. zod parses what they refuse again, so issues are the same. */
const compiledArtist = z.compile(artistDocument, { strict: true });
const compiledSeries = z.compile(seriesDocument, { strict: true });

const toArtist = (artist: z.output<typeof artistDocument>): Artist => ({
  documentId: artist._id,
  id: artist.id,
  name: artist.name,
  photoUrl: artist.photo_url,
  genres: artist.genres,
  countryCode: artist.country_code,
  dateAdded: artist.date_added,
  tier: artist.tier,
  status: artist.status,
  signing: { status: artist.signing.status, note: artist.signing.note },
  links: artist.links,
  metrics: artist.metrics,
  songs: artist.songs.sort(compareSongs),
  freshness: artist.freshness,
  provenance: { sources: artist.provenance.sources, method: artist.provenance.method },
  dataQuality: {
    complete: artist.data_quality.complete,
    missingMetrics: artist.data_quality.missing_metrics,
    estimatedPoints: artist.data_quality.estimated_points,
    warnings: artist.data_quality.warnings,
  },
  editorial: artist.editorial && {
    scoutingReport: artist.editorial.scouting_report,
    highlights: artist.editorial.highlights,
    updatedAt: artist.editorial.updated_at,
  },
  updatedAt: artist.updated_at,
});

const toSeries = (series: z.output<typeof seriesDocument>): Series => ({
  artistId: series.artist_id,
  songId: series.song_id,
  metric: series.metric,
  points: series.points,
});

/** Parses a document of the collection `artists`. An optional member that is not valid is left out. */
export const parseArtist = (document: unknown): Parsed<Artist> =>
  mapParsed(parseLeniently(compiledArtist, document, anyMember), toArtist);

/** Parses a document of the collection `history`. A point that is not valid is left out. */
export const parseSeries = (document: unknown): Parsed<Series> =>
  mapParsed(parseLeniently(compiledSeries, document, itemsOf('points')), toSeries);

/** The identifiers of a document of the collection `artists`, without the rest of it. */
export const parseIdentifiers = (document: unknown): Parsed<ArtistIdentifiers> =>
  mapParsed(parseWith(identifiersDocument, document), ({ _id, id }) => ({ id, documentId: _id }));

const seriesKey = ({ songId = '', metric }: Series): string => `${songId} ${metric}`;

/** The history made of an artist's series, ordered by song and metric regardless of the stored order. */
export const toHistory = (series: readonly Series[]): History => ({
  series: [...series].sort((left, right) => (seriesKey(left) < seriesKey(right) ? -1 : 1)),
});

/** Parses a document of the collection `labels`. */
export const parseLabel = (document: unknown): Parsed<Label> => parseWith(labelDocument, document);
