import type { Scope } from '../domain/caller.ts';
import { addDays, type Day } from '../domain/day.ts';

/** On whose behalf a question is asked: what the key may see, and which day it is. */
export interface Viewer {
  readonly scopes: ReadonlySet<Scope>;
  readonly today: Day;
}

/** Which artists are meant. All that are given must hold. */
export interface Filters {
  /** Stable identifier: a filter like any other, an unknown one leaves nothing. */
  readonly id?: string | undefined;
  /** Document identifier: a look-up, an unknown one is `not-found`. */
  readonly documentId?: string | undefined;
  /** Part of the name, taken literally, without regard to case. */
  readonly name?: string | undefined;
  /** Any text: a tier that does not exist has no artists. */
  readonly tier?: string | undefined;
  readonly addedSince?: Day | undefined;
  readonly addedWithinDays?: number | undefined;
  /** True: the reviewed status is `signed`. False: it is anything else. */
  readonly signed?: boolean | undefined;
  /** Set when a filter could not be understood: then nothing matches, never everything. */
  readonly nothing?: boolean | undefined;
}

export interface ArtistsQuestion {
  readonly filters: Filters;
  /** At most so many artists. */
  readonly limit: number;
  /** Where the previous page ended. */
  readonly cursor?: string | undefined;
  readonly includeHistory?: boolean | undefined;
}

export interface ArtistQuestion {
  readonly id: string;
}

export interface AddedQuestion {
  readonly days: number;
  readonly limit: number;
}

export interface SpikesQuestion {
  readonly days: number;
}

/** The earliest `dateAdded` the filters allow, or `undefined` when they do not ask for one. */
export const earliestDay = (filters: Filters, today: Day): Day | undefined => {
  const within = filters.addedWithinDays === undefined ? undefined : addDays(today, -filters.addedWithinDays);
  if (within === undefined || filters.addedSince === undefined) return within ?? filters.addedSince;
  return within > filters.addedSince ? within : filters.addedSince;
};
