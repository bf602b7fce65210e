import type { FormName } from './caller.ts';
import type { Day } from './day.ts';

/** How often a key asked one route on one UTC day and was answered with one status. */
export interface UsageCount {
  readonly day: Day;
  readonly keyId: string;
  readonly organizationId: string;
  /** The form that was served. */
  readonly form: FormName;
  /** The template of the route; `undefined` when there was nothing at the path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly requests: number;
  /**
   * In how many of them a parameter was used in some way. `new`: it was given. `fields=basic`: it was given with this value
   * out of a closed list. `limit>100`: more than the other form allows. `limit adjusted`: its value was repaired. `unknown`:
   * something was given that the form does not know. Never a client's own text.
   */
  readonly uses: Readonly<Record<string, number>>;
  /** The last of them, in epoch milliseconds. */
  readonly lastAt: number;
}

/** How often a key asked in one minute for what counts against a quota. */
export interface MinuteCount {
  readonly keyId: string;
  readonly organizationId: string;
  /** The minute's first instant, in epoch milliseconds. */
  readonly minute: number;
  /** Granted and refused ones together. */
  readonly requests: number;
  /** Those of them that a spent quota refused. */
  readonly refused: number;
}

/** A parameter whose value a form replaced, as the header `X-Params-Adjusted` lists it. */
export interface ParameterRepair {
  readonly parameter: string;
  /** The value that was used, in the form's own words: never the client's text. */
  readonly used: string;
}
