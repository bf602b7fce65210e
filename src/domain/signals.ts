import type { Day } from './day.ts';
import type { ArtistMetric, SigningStatus } from './model.ts';

/** Growth of one metric of one artist between two trusted points. */
export interface Spike {
  readonly artistId: string;
  readonly artistName: string;
  readonly metric: ArtistMetric;
  readonly previous: number;
  readonly current: number;
  readonly delta: number;
  /** Growth in percent of `previous`, two decimals. */
  readonly percentChange: number;
  readonly window: { readonly days: number; readonly from: Day; readonly to: Day };
  readonly tiktok: string | undefined;
}

/**
 * The signal engine of spikes, as responses name it. Its version changes with its rule
 * (catalogue/movements.ts).
 */
export const engine = { name: 'trusted-movement', version: '1.0.0' };

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

/** Finds the tracked label in a P-line, by its name; `undefined` if there is none. */
export type LabelDetector = (pLine: string) => string | undefined;
