import {
  type Artist,
  type ArtistIdentifiers,
  artistMetrics,
  freshnessParts,
  type HistoryPoint,
  type Label,
  linkNames,
  type Series,
  type Song,
  signingStatuses,
  songMetrics,
  statusFlags,
  tiers,
} from '../../../src/domain/model.ts';
import { compareSongs } from '../../../src/domain/order.ts';
import { listOf, mapOf, objectOf, optional, orFalse, required } from './member-types.ts';
import * as types from './simple-types.ts';
import { text } from './simple-types.ts';

// The members of the catalogue's documents (data format), by their names in the models.

const texts = (of: string) => listOf(text(), of);

export const song = objectOf<Song>(
  {
    id: required(text()),
    name: required(text()),
    artwork: optional(types.url),
    previewUrl: optional(types.url),
    sourceUrl: optional(types.url),
    tiktokUrl: optional(types.url),
    addedAt: optional({ ...types.shownDay, is: 'dayOrInstant' }),
    metrics: required(mapOf(songMetrics, types.metric)),
    rights: optional(
      objectOf<NonNullable<Song['rights']>>({
        pLine: optional(text()),
        checkedAt: optional(types.shownDay),
      }),
    ),
  },
  { expected: 'an object, the song' },
);

const identifierMembers = {
  documentId: { ...required(types.documentId), name: '_id' },
  id: required(types.stableId),
};

export const identifiers = objectOf<ArtistIdentifiers>(identifierMembers);

export const artist = objectOf<Artist>(
  {
    ...identifierMembers,
    name: required(text(1000)),
    photoUrl: optional(types.url),
    genres: optional(texts('genres')),
    countryCode: optional(types.countryCode),
    dateAdded: optional(types.day),
    tier: optional(types.oneOf(tiers)),
    status: required(mapOf(statusFlags, types.flag)),
    signing: required(
      objectOf<Artist['signing']>(
        { status: optional(types.oneOf(signingStatuses)), note: optional(text()) },
        { unread: { reviewed_at: types.shownDay } },
      ),
    ),
    links: required(mapOf(linkNames, types.url)),
    metrics: required(mapOf(artistMetrics, types.metric)),
    songs: required(listOf(song, 'songs; [] when there are none', compareSongs)),
    freshness: required(mapOf(freshnessParts, types.shownDay)),
    provenance: required(
      objectOf<Artist['provenance']>({ sources: optional(texts('sources')), method: optional(text()) }),
    ),
    dataQuality: required(
      objectOf<Artist['dataQuality']>({
        complete: optional(types.flag),
        missingMetrics: optional(texts('names of metrics')),
        estimatedPoints: optional(types.count),
        warnings: optional(texts('warnings')),
      }),
    ),
    editorial: optional(
      objectOf<NonNullable<Artist['editorial']>>({
        scoutingReport: optional(text()),
        highlights: optional(texts('highlights')),
        updatedAt: optional(types.shownDay),
      }),
    ),
    updatedAt: required(types.instant),
  },
  { expected: 'an object, the artist' },
);

const pointMembers = objectOf<HistoryPoint>(
  {
    date: required(types.day),
    value: required(types.metric),
    estimated: orFalse(types.flag),
    stale: orFalse(types.flag),
    terminal: orFalse(types.flag),
  },
  { expected: 'an object with date and value' },
);

export type StoredPoint = Pick<HistoryPoint, 'date' | 'value'> & Partial<HistoryPoint>;

/** Its conversion is written out: a start converts millions, and the general one takes six times as long. */
export const point = {
  ...pointMembers,
  toModel(stored: unknown): HistoryPoint {
    const { date, value, estimated, stale, terminal } = stored as StoredPoint; // the schema accepted it
    return {
      date,
      value,
      estimated: estimated ?? false,
      stale: stale ?? false,
      terminal: terminal ?? false,
    };
  },
};

export const series = objectOf<Series>(
  {
    artistId: required(text()),
    songId: optional(text()),
    metric: required({ ...types.oneOf([...artistMetrics, ...songMetrics]), is: 'seriesMetric' }),
    points: required(listOf(point, 'points')),
  },
  { expected: 'an object, the series', unread: { updated_at: types.instant } },
);

export const label = objectOf<Label>(
  { name: required(text()), aliases: required(texts('names; [] when there are none')) },
  { expected: 'an object, the label' },
);
