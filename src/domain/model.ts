import type { Day } from './day.ts';

/**
 * The canonical artist and its parts, independent of both forms. A member that the stored document leaves out is
 * `undefined`; the maps have only the keys listed below (specification, "Resources and their fields").
 */
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
type StatusFlag = (typeof statusFlags)[number];
type LinkName = (typeof linkNames)[number];
export type ArtistMetric = (typeof artistMetrics)[number];
type SongMetric = (typeof songMetrics)[number];
type FreshnessPart = (typeof freshnessParts)[number];

/** A map in which unknown values are absent. */
export type Known<Key extends string, Value> = Readonly<Partial<Record<Key, Value>>>;

export interface ArtistIdentifiers {
  /** Identifier of the stored document: the variant form's `id`. */
  readonly documentId: string;
  /** Stable identifier; `id` in the current form. */
  readonly id: string;
}

export interface Artist extends ArtistIdentifiers {
  readonly name: string;
  readonly photoUrl: string | undefined;
  readonly genres: readonly string[] | undefined;
  readonly countryCode: string | undefined;
  readonly dateAdded: Day | undefined;
  readonly tier: Tier | undefined;
  readonly status: Known<StatusFlag, boolean>;
  readonly signing: { readonly status: SigningStatus | undefined; readonly note: string | undefined };
  readonly links: Known<LinkName, string>;
  readonly metrics: Known<ArtistMetric, number>;
  /** Newest first. */
  readonly songs: readonly Song[];
  readonly freshness: Known<FreshnessPart, string>;
  readonly provenance: { readonly sources: readonly string[] | undefined; readonly method: string | undefined };
  readonly dataQuality: DataQuality;
  readonly editorial: Editorial | undefined;
  /** When the document last changed, epoch milliseconds. */
  readonly updatedAt: number;
}

export interface Song {
  readonly id: string;
  readonly name: string;
  readonly artwork: string | undefined;
  readonly previewUrl: string | undefined;
  readonly sourceUrl: string | undefined;
  readonly tiktokUrl: string | undefined;
  readonly addedAt: string | undefined;
  readonly metrics: Known<SongMetric, number>;
  readonly rights: { readonly pLine: string | undefined; readonly checkedAt: string | undefined } | undefined;
}

export interface DataQuality {
  readonly complete: boolean | undefined;
  readonly missingMetrics: readonly string[] | undefined;
  readonly estimatedPoints: number | undefined;
  readonly warnings: readonly string[] | undefined;
}

export interface Editorial {
  readonly scoutingReport: string | undefined;
  readonly highlights: readonly string[] | undefined;
  readonly updatedAt: string | undefined;
}

export interface HistoryPoint {
  readonly date: Day;
  readonly value: number;
  readonly estimated: boolean;
  readonly stale: boolean;
  readonly terminal: boolean;
}

/** One metric over time, of an artist or (with `songId`) of a song. Points ascend by date, at most one per day. */
export interface Series {
  readonly artistId: string;
  readonly songId: string | undefined;
  readonly metric: ArtistMetric | SongMetric;
  readonly points: readonly HistoryPoint[];
}

/** All series of one artist and its songs. */
export interface History {
  readonly series: readonly Series[];
  /** Identifies what could not be read of it: part of the ETag of an answer with this history. */
  readonly leftOut?: string;
}

/** A tracked record label. It is detected in P-lines by its name and its aliases. */
export interface Label {
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Growth of one metric of one artist between two trusted points. */
export interface Spike {
  readonly artistId: string;
  readonly artistName: string;
  readonly metric: ArtistMetric;
  readonly previous: number;
  readonly current: number;
  readonly delta: number;
  /** Growth in per cent of `previous`, two decimals. */
  readonly percentChange: number;
  readonly window: { readonly days: number; readonly from: Day; readonly to: Day };
  readonly engine: Engine;
  readonly tiktok: string | undefined;
}

/** The signal engine that found a spike. */
export interface Engine {
  readonly name: string;
  readonly version: string;
}

type SigningBasis = 'reviewed_status' | 'label_p_line';

/** Why an artist is on the signings list. */
export interface Signing {
  readonly artistId: string;
  readonly artistName: string;
  readonly status: SigningStatus | undefined;
  readonly note: string | undefined;
  readonly labelSongs: readonly LabelSong[];
  readonly basis: readonly SigningBasis[];
}

/** A song with a tracked label in its P-line. */
export interface LabelSong {
  readonly songId: string;
  readonly songName: string;
  readonly pLine: string;
  readonly labelDetected: string;
  readonly checkedAt: string | undefined;
}
