import type { Day } from './day.ts';

export const formNames = ['current', 'variant'] as const;
export type FormName = (typeof formNames)[number];

export const scopes = ['artists:read', 'spikes:read', 'signings:read', 'editorial:read', 'signing-notes:read'] as const;
export type Scope = (typeof scopes)[number];

/** An API key as stored: never its text, only the SHA-256 of it in lower-case hex. Instants are epoch milliseconds. */
export interface KeyRecord {
  readonly id: string;
  readonly hash: string;
  readonly organizationId: string;
  readonly partner: string;
  readonly form: FormName;
  readonly scopes: readonly Scope[];
  readonly perHour: number | undefined;
  readonly allowEnvelopeOverride: boolean;
  readonly sunset: Day | undefined;
  readonly deprecatedAt: number | undefined;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** The customer that keys belong to and that the current form's quotas are counted for. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly perMinute: number | undefined;
  readonly perDay: number | undefined;
  readonly suspendedAt: number | undefined;
}

/** Who asks: a valid key and the organization it belongs to. */
export interface Caller {
  readonly key: KeyRecord;
  readonly organization: Organization;
  readonly scopes: ReadonlySet<Scope>;
}

export type QuotaWindow = 'minute' | 'hour' | 'day';

/** So many requests in each clock-aligned UTC window, counted for one subject. */
export interface Allowance {
  readonly window: QuotaWindow;
  readonly limit: number;
  /** Whose requests are counted together: `organization:<id>` or `key:<id>`. */
  readonly subject: string;
}
