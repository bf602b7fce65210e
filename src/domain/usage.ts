import type { FormName } from './caller.ts';
import type { Day } from './day.ts';

/** The requests of a key to a route on a UTC day that got the same status. */
export interface UsageCount {
  readonly day: Day;
  readonly keyId: string;
  readonly organizationId: string;
  readonly form: FormName;
  /** The route's template; `undefined` for an unknown path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly requests: number;
  /**
   * Requests by parameter use. `new`: the parameter was sent. `fields=basic`: it was sent with this
   * value of a closed list. `limit>100`: above the other form's maximum. `limit adjusted`: its
   * value was adjusted. `tier none`: a filter that could not be understood, so nothing matched;
   * `query none`: the whole query. `unknown`: a parameter that the form does not have.
   * `?new=14&limit=150`: the whole query, with numbers of up to 4 digits, values of closed lists,
   * and `*` for anything else; `?` alone without parameters, `?…` for calls beyond `maxCalls` of
   * one process and day. Never a client's own text.
   */
  readonly uses: Readonly<Record<string, number>>;
  /** Time of the latest of them, epoch milliseconds. */
  readonly lastAt: number;
}

/** True if a use names a whole query. */
export const isCall = (use: string): boolean => use.startsWith('?');

/** The use of all calls beyond the maximum. */
export const otherCalls = '?…';

/** One process's total of one `UsageCount` on one day so far. Written again after it has grown. */
export interface DayTotal extends UsageCount {
  /** Unique among the totals of all processes. */
  readonly id: string;
}

/** One process's requests of one key in one clock hour so far, by minute. */
export interface HourTotal {
  readonly id: string;
  readonly keyId: string;
  readonly organizationId: string;
  /** Start of the hour, epoch milliseconds. */
  readonly hour: number;
  readonly requests: number;
  /** By minute of the hour, 0 to 59; minutes without requests are absent. */
  readonly minutes: ReadonlyMap<number, { readonly requests: number; readonly refused: number }>;
}

export interface UsageTotals {
  readonly days: readonly DayTotal[];
  readonly hours: readonly HourTotal[];
}

/** The requests of a key in a minute that count against a quota. */
export interface MinuteCount {
  readonly keyId: string;
  readonly organizationId: string;
  /** Start of the minute, epoch milliseconds. */
  readonly minute: number;
  /** Granted and refused requests together. */
  readonly requests: number;
  /** The requests rejected by a used-up quota. */
  readonly refused: number;
}

/** A parameter whose value a form replaced, as the header `X-Params-Adjusted` lists it. */
export interface AdjustedParameter {
  readonly parameter: string;
  /** The value used instead, in the form's own words: never the client's text. */
  readonly used: string;
}
