import type { z } from 'zod';
import type { Day } from './day.ts';

// The canonical artist and its parts, independent of both forms. Each field is declared once, by
// its stored name: the gateway's reader, the import's rules, the JSON Schemas and the models derive
// from it. A field missing from the stored document is `undefined`; maps have only the keys listed
// below.

export const tiers = ['watch', 'on-the-rise', 'breaking', 'established'] as const;
export const signingStatuses = ['signed', 'unsigned', 'unknown'] as const;
export const statusFlags = ['active', 'verified', 'shortlisted', 'claimed'] as const;
export const linkNames = ['spotify', 'tiktok', 'instagram', 'youtube', 'website'] as const;
export const artistMetrics = [
  'spotify_streams',
  'monthly_listeners',
  'tiktok_followers',
  'instagram_followers',
  'social_score',
] as const;
export const songMetrics = ['streams', 'ugc_tiktok', 'ugc_instagram'] as const;
export const freshnessParts = ['metrics', 'songs', 'history', 'signing'] as const;

export type Tier = (typeof tiers)[number];
export type SigningStatus = (typeof signingStatuses)[number];
export type ArtistMetric = (typeof artistMetrics)[number];
type SeriesMetric = ArtistMetric | (typeof songMetrics)[number];

/** The model's name of a stored field. */
type CamelCase<Name extends string> = Name extends '_id'
  ? 'documentId'
  : Name extends `${infer First}_${infer Rest}`
    ? `${First}${Capitalize<CamelCase<Rest>>}`
    : Name;

/** The members of a document by their stored names, each with its rule. */
export type Shape = Readonly<Record<string, z.ZodType>>;

/**
 * The model of a document with these members: in camel case, `undefined` if the stored field is
 * missing or `null`.
 */
export type ModelOf<Members extends Shape> = {
  readonly [Name in keyof Members & string as CamelCase<Name>]: Exclude<
    z.output<Members[Name]>,
    null
  >;
};

/** A map in which unknown values are absent. */
export type Known<Key extends string, Value> = Readonly<Partial<Record<Key, Value>>>;

/**
 * Rules of document fields, as zod schemas. A gateway's rules (adapters/stores/documents) accept
 * all usable stored data and make the model. An import's rules (tools/import) are strict; `of` and
 * `expected` are words for their messages.
 */
export interface MemberRules {
  /** `maxLength` in characters. */
  text(maxLength?: number): z.ZodType<string>;
  /** A name that people see. An import rejects control characters in it. */
  name(maxLength?: number): z.ZodType<string>;
  oneOf<Name extends string>(names: readonly Name[]): z.ZodType<Name>;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: z.ZodType<string>;
  readonly count: z.ZodType<number>;
  readonly day: z.ZodType<Day>;
  readonly documentId: z.ZodType<string>;
  readonly flag: z.ZodType<boolean>;
  /** A flag that is false unless it is stored. */
  readonly flagOrFalse: z.ZodType<boolean>;
  /** Epoch milliseconds. */
  readonly instant: z.ZodType<number>;
  readonly metric: z.ZodType<number>;
  /** A day or time that is only displayed. */
  readonly shownDay: z.ZodType<string>;
  /** The same, but an import rejects any other text. */
  readonly dayOrInstant: z.ZodType<string>;
  readonly stableId: z.ZodType<string>;
  /** An HTTP or HTTPS address. */
  readonly url: z.ZodType<string>;
  /** Values by these names; other names are not read. */
  map<Name extends string, Value>(
    names: readonly Name[],
    value: z.ZodType<Value>,
    of: string,
  ): z.ZodType<Known<Name, Value>>;
  list<Item>(item: z.ZodType<Item>, of: string): z.ZodType<readonly Item[]>;
  /**
   * An object with these members; other members are not read. `unread`: stored members that no
   * model has.
   */
  object<Members extends Shape>(
    members: Members,
    words?: { readonly expected?: string; readonly unread?: Shape },
  ): z.ZodType<ModelOf<Members>>;
  /** An artist's songs, the newest first. */
  songs(song: z.ZodType<Song>): z.ZodType<readonly Song[]>;
  /** The metric of a series, of an artist or of a song. */
  readonly seriesMetric: z.ZodType<SeriesMetric>;
  /** Points that ascend by date, at most one per day. */
  points(members: PointMembers): z.ZodType<readonly HistoryPoint[]>;
}

const identifierMembers = (is: MemberRules) => ({
  /** Identifier of the stored document, `documentId` in the model: the variant form's `id`. */
  _id: is.documentId,
  /** Stable identifier; `id` in the current form. */
  id: is.stableId,
});

/** Only the identifiers of an artist. */
export const identifiersSchema = (is: MemberRules) => is.object(identifierMembers(is));

const songSchema = (is: MemberRules) =>
  is.object(
    {
      id: is.text(),
      name: is.name(),
      artwork: is.url.nullish(),
      preview_url: is.url.nullish(),
      source_url: is.url.nullish(),
      tiktok_url: is.url.nullish(),
      added_at: is.dayOrInstant.nullish(),
      metrics: is.map(songMetrics, is.metric, 'numbers'),
      rights: is
        .object({ p_line: is.text().nullish(), checked_at: is.shownDay.nullish() })
        .nullish(),
    },
    { expected: 'an object, the song' },
  );

export const artistSchema = (is: MemberRules) =>
  is.object(
    {
      ...identifierMembers(is),
      name: is.name(1000),
      photo_url: is.url.nullish(),
      genres: is.list(is.text(), 'genres').nullish(),
      country_code: is.countryCode.nullish(),
      date_added: is.day.nullish(),
      tier: is.oneOf(tiers).nullish(),
      status: is.map(statusFlags, is.flag, 'true or false'),
      signing: is.object(
        { status: is.oneOf(signingStatuses).nullish(), note: is.text().nullish() },
        { unread: { reviewed_at: is.shownDay.nullish() } },
      ),
      links: is.map(linkNames, is.url, 'addresses'),
      metrics: is.map(artistMetrics, is.metric, 'numbers'),
      songs: is.songs(songSchema(is)),
      freshness: is.map(freshnessParts, is.shownDay, 'days or instants'),
      provenance: is.object({
        sources: is.list(is.text(), 'sources').nullish(),
        method: is.text().nullish(),
      }),
      data_quality: is.object({
        complete: is.flag.nullish(),
        missing_metrics: is.list(is.text(), 'names of metrics').nullish(),
        estimated_points: is.count.nullish(),
        warnings: is.list(is.text(), 'warnings').nullish(),
      }),
      editorial: is
        .object({
          scouting_report: is.text().nullish(),
          highlights: is.list(is.text(), 'highlights').nullish(),
          updated_at: is.shownDay.nullish(),
        })
        .nullish(),
      /** When the document last changed. */
      updated_at: is.instant,
    },
    { expected: 'an object, the artist' },
  );

const pointMembers = (is: MemberRules) => ({
  date: is.day,
  value: is.metric,
  estimated: is.flagOrFalse,
  stale: is.flagOrFalse,
  terminal: is.flagOrFalse,
});

/** One metric over time, of an artist or (with `song_id`) of a song. */
export const seriesSchema = (is: MemberRules) =>
  is.object(
    {
      artist_id: is.text(),
      song_id: is.text().nullish(),
      metric: is.seriesMetric,
      points: is.points(pointMembers(is)),
    },
    { expected: 'an object, the series', unread: { updated_at: is.instant.nullish() } },
  );

/** A tracked record label, detected in P-lines by name and aliases. */
export const labelSchema = (is: MemberRules) =>
  is.object(
    { name: is.name(), aliases: is.list(is.name(), 'names; [] when there are none') },
    { expected: 'an object, the label' },
  );

export type ArtistIdentifiers = z.infer<ReturnType<typeof identifiersSchema>>;
export type Song = z.infer<ReturnType<typeof songSchema>>;
export type Artist = z.infer<ReturnType<typeof artistSchema>>;
type PointMembers = ReturnType<typeof pointMembers>;
export type HistoryPoint = ModelOf<PointMembers>;
export type Series = z.infer<ReturnType<typeof seriesSchema>>;
export type Label = z.infer<ReturnType<typeof labelSchema>>;

/** All series of one artist and its songs. */
export interface History {
  readonly series: readonly Series[];
  /**
   * True if all of it could be read. A response with an incomplete history has no ETag, and the
   * history is re-read soon (decisions, "Freshness and caching").
   */
  readonly complete: boolean;
}
