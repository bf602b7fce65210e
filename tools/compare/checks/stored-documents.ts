import { z } from 'zod';
import type { ArtistWire, SongWire } from '../../../adapters/forms/current/wire.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from '../../../src/domain/json.ts';
import { signingStatuses, tiers } from '../../../src/domain/model.ts';
import { type KnownArtist, toKnownArtist } from '../cases/placeholders.ts';
import { byText, newestFirst, thenBy } from './orders.ts';
import { createIdPairs, type IdPairs } from './pairing.ts';

/**
 * The stored documents, to check members that only one form shows. They are read by rules of their
 * own, which share no code with the stores.
 */
interface StoredCatalogue {
  readonly artists: readonly Json[];
  readonly knownArtists: readonly KnownArtist[];
  readonly idPairs: IdPairs;
}

const text = z.string().min(1).max(100_000);
const texts = z.array(text);
const address = z.url({ protocol: /^https?$/ }).max(100_000);
const number = z
  .number()
  .min(-(2 ** 53))
  .max(2 ** 53);
const flag = z.boolean();
const object = z.record(z.string(), z.custom<Json>());

type OptionalIn<Part> = string &
  { [Name in keyof Part]: undefined extends Part[Name] ? Name : never }[keyof Part];
type Part = 'signing' | 'provenance' | 'data_quality' | 'editorial';
type OptionalMember =
  | OptionalIn<Omit<ArtistWire, 'history'>>
  | `songs[].${OptionalIn<Omit<SongWire, 'history'>>}`
  | { [Name in Part]: `${Name}.${OptionalIn<NonNullable<ArtistWire[Name]>>}` }[Part];

/**
 * The types of optional fields. A field with another type is absent (decisions, "Freshness and
 * caching").
 */
const optionalMembers: Readonly<
  Record<OptionalMember, z.ZodType<Json>> & Partial<Record<string, z.ZodType<Json>>>
> = {
  photo_url: address,
  genres: texts,
  country_code: z.string().regex(/^[a-z]{2}$/i),
  date_added: z.iso.date(),
  tier: z.enum(tiers),
  'status.*': flag,
  'signing.status': z.enum(signingStatuses),
  'signing.note': text,
  'links.*': address,
  'metrics.*': number,
  'songs[].artwork': address,
  'songs[].preview_url': address,
  'songs[].source_url': address,
  'songs[].tiktok_url': address,
  'songs[].added_at': text,
  'songs[].metrics.*': number,
  'songs[].rights': object,
  'songs[].rights.p_line': text,
  'songs[].rights.checked_at': text,
  'freshness.*': text,
  'provenance.sources': texts,
  'provenance.method': text,
  'data_quality.complete': flag,
  'data_quality.missing_metrics': texts,
  'data_quality.estimated_points': z.int(),
  'data_quality.warnings': texts,
  editorial: object,
  'editorial.scouting_report': text,
  'editorial.highlights': texts,
  'editorial.updated_at': text,
};

/** A point that holds something else is left out of its series. */
const point = z.looseObject({
  date: z.iso.date(),
  value: number,
  estimated: flag.optional(),
  stale: flag.optional(),
  terminal: flag.optional(),
});

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(Z|[+-]\d{2}:\d{2})$/;

/** The members that hold a day or an instant. */
const instantMembers = /(^|\.)(added_at|checked_at|updated_at|freshness\.\w+)$/;

/**
 * A value as answers have it: timestamps in UTC with milliseconds, well-formed texts, one zero. A
 * field is absent if it is `null` or has another type. `path` has no indexes.
 */
const readStoredValue = (value: Json, path = ''): Json => {
  if (typeof value === 'string') {
    const time = instantMembers.test(path) && instant.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(time)
      ? value.replaceAll(/\p{Surrogate}/gu, '\ufffd')
      : new Date(time).toISOString();
  }
  if (typeof value === 'number') return value + 0; // -0 becomes 0
  if (isList(value)) return value.map((one) => readStoredValue(one, `${path}[]`));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const at = path === '' ? name : `${path}.${name}`;
    const rule = optionalMembers[at] ?? optionalMembers[`${path}.*`];
    const held = rule === undefined ? member : (rule.safeParse(member).data ?? null);
    return held === null ? [] : [[name, readStoredValue(held, at)]];
  });
  return Object.fromEntries(members);
};

const flags = ['estimated', 'stale', 'terminal'];

/** Answers omit the flags of a point that are false. */
const toPoint = (point: Json): Json =>
  isObject(point)
    ? Object.fromEntries(
        Object.entries(point).filter(
          ([name, member]) => !(flags.includes(name) && member === false),
        ),
      )
    : point;

const pointsOf = (series: Json): Json[] =>
  listAt(series, 'points')
    .filter((one) => point.safeParse(one).success)
    .map(toPoint);

/** The series of an artist (without song) or of a song, by metric. */
const historyOf = (series: readonly Json[], songId: string | undefined): JsonObject =>
  Object.fromEntries(
    series
      .filter((one) => textAt(one, 'song_id') === songId)
      .map((one) => [textAt(one, 'metric') ?? '', pointsOf(one)]),
  );

const toArtist = (document: Json, series: readonly Json[]): Json => {
  if (!isObject(document)) return document;
  const toSong = (song: Json): Json =>
    isObject(song) ? { ...song, history: historyOf(series, textAt(song, 'id')) } : song;
  return {
    ...document,
    history: historyOf(series, undefined),
    songs: listAt(document, 'songs').map(toSong),
  };
};

const sortParts = (holder: Json): Json => {
  if (!isObject(holder)) return holder;
  const { history, songs } = holder;
  const series = isObject(history) ? Object.keys(history) : [];
  const inOrder = series.map((metric) => [
    metric,
    listAt(history, metric).toSorted(byText('date')),
  ]);
  const newest = listAt(holder, 'songs').toSorted(thenBy(newestFirst('added_at'), byText('id')));
  return {
    ...holder,
    ...(history !== undefined && { history: Object.fromEntries(inOrder) }),
    ...(songs !== undefined && { songs: newest.map(sortParts) }),
  };
};

/**
 * Artists in list order, with their parts in order. Of those with the same identifier the first
 * counts.
 */
export const sortArtists = (artists: readonly Json[]): readonly Json[] => {
  const seen = new Set<string>();
  const isNew = (artist: Json): boolean => {
    const ids = ['id', '_id'].flatMap((member) => {
      const id = textAt(artist, member);
      return id === undefined ? [] : [`${member} ${id}`];
    });
    const isKnown = ids.some((id) => seen.has(id));
    if (!isKnown) for (const id of ids) seen.add(id);
    return !isKnown;
  };
  return artists
    .filter(isNew)
    .map(sortParts)
    .sort(thenBy(newestFirst('date_added'), byText('id')));
};

export const readStoredCatalogue = (
  documents: Readonly<Record<'artists' | 'series', readonly Json[]>>,
): StoredCatalogue => {
  const series = groupBy(
    documents.series.map((one) => readStoredValue(one)),
    (one) => textAt(one, 'artist_id'),
  );
  const artists = sortArtists(
    documents.artists
      .map((one) => readStoredValue(one))
      .map((document) => toArtist(document, series.get(textAt(document, 'id')) ?? [])),
  );
  return {
    artists,
    knownArtists: artists.flatMap((artist) => toKnownArtist(artist, textAt(artist, '_id')) ?? []),
    idPairs: createIdPairs(
      artists.map((artist) => ({
        current: textAt(artist, 'id') ?? '',
        variant: textAt(artist, '_id') ?? '',
      })),
    ),
  };
};
