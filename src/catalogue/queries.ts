import type { Scope } from '../domain/caller.ts';
import type { Day } from '../domain/day.ts';
import type { Filters } from '../domain/filters.ts';

/** The caller's scopes and the current UTC day. */
export interface Viewer {
  readonly scopes: ReadonlySet<Scope>;
  readonly today: Day;
}

export interface ArtistsQuery {
  readonly filters: Filters;
  /** Maximum number of artists. */
  readonly limit: number;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  readonly includeHistory?: boolean | undefined;
}

export interface ArtistQuery {
  readonly id: string;
}

export interface AddedQuery {
  readonly days: number;
  readonly limit: number;
}

export interface SpikesQuery {
  readonly days: number;
}
