import type { Scope } from '../domain/caller.ts';
import { addDays, type Day } from '../domain/day.ts';

/** The caller's scopes and the current UTC day. */
export interface Viewer {
  readonly scopes: ReadonlySet<Scope>;
  readonly today: Day;
}

/** Filters of the list of artists, combined with AND. */
export interface Filters {
  /** Stable identifier; an unknown one matches nothing. */
  readonly id?: string | undefined;
  /** Document identifier; an unknown one raises `not-found`. */
  readonly documentId?: string | undefined;
  /** Literal part of the name, case-insensitive. */
  readonly name?: string | undefined;
  /** Any text; an unknown tier matches nothing. */
  readonly tier?: string | undefined;
  readonly addedSince?: Day | undefined;
  /** Added since so many days before today, and not after today. */
  readonly addedWithinDays?: number | undefined;
  /** `true`: the reviewed status is `signed`. `false`: it is anything else. */
  readonly signed?: boolean | undefined;
  /** Matches nothing. Forms set it when they cannot understand a filter, so that a result is never widened. */
  readonly nothing?: boolean | undefined;
}

export interface ArtistsQuestion {
  readonly filters: Filters;
  /** Maximum number of artists. */
  readonly limit: number;
  /** The `nextCursor` of the previous page. */
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

/** The earliest `dateAdded` that passes the filters; `undefined` when they have no day filter. */
export const earliestDay = (filters: Filters, today: Day): Day | undefined => {
  const within = filters.addedWithinDays === undefined ? undefined : addDays(today, -filters.addedWithinDays);
  if (within === undefined || filters.addedSince === undefined) return within ?? filters.addedSince;
  return within > filters.addedSince ? within : filters.addedSince;
};
