import type fc from 'fast-check';
import type { trackedLabels, units } from './random-shortlist.ts';

/** Stored documents as the data format describes them and as they are drawn, before any code of the gateway has read them. */
type Drawn<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;

/** An artist with its series, as one unit of change. */
export type StoredUnit = ReturnType<Drawn<ReturnType<typeof units>>>;
export type StoredArtist = StoredUnit['artist'];
export type StoredSong = StoredArtist['songs'][number];
export type StoredPoint = StoredUnit['series'][number]['points'][number];
export type StoredLabel = (typeof trackedLabels)[number];

export interface StoredSeries {
  readonly artist_id: string;
  readonly song_id?: string;
  readonly metric: string;
  readonly points: readonly StoredPoint[];
}

export interface Shortlist {
  readonly artists: readonly StoredArtist[];
  readonly history: readonly StoredSeries[];
  readonly labels: readonly StoredLabel[];
}
