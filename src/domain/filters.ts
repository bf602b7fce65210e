import type { Day } from './day.ts';

/**
 * The filters of the list of artists and their JSON values. The selection, the cursor's checksum
 * and the mapping derive from this list: a filter that they omit does not compile.
 */
export interface FilterValues {
  /** Stable identifier; an unknown one matches nothing. */
  readonly id: string;
  /** Document identifier; an unknown one raises `not-found`. */
  readonly documentId: string;
  /** Literal part of the name, case-insensitive. */
  readonly name: string;
  /** Any text; an unknown tier matches nothing. */
  readonly tier: string;
  readonly addedSince: Day;
  /** Added within the last N days, today included. */
  readonly addedWithinDays: number;
  /** `true`: the reviewed status is `signed`. `false`: it is anything else. */
  readonly signed: boolean;
  /** Matches nothing. Forms set it for an invalid filter, so that a result never gets wider. */
  readonly nothing: boolean;
}

export type FilterName = keyof FilterValues;

/** Filters that are set, combined with AND. */
export type Filters = { readonly [Name in FilterName]?: FilterValues[Name] | undefined };
