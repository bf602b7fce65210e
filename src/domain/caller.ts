import type { Day } from './day.ts';

/** The name of a form. `adapters/forms/forms.ts` lists the forms that exist. */
export type FormName = string;

/** The forms that an unknown key can be answered in; the first is the default. */
export const unknownKeyForms = ['current', 'variant'] as const satisfies readonly FormName[];

/** What a key may be allowed to read (decisions, "Parameters and contents"). */
export const scopes = [
  'artists:read',
  'spikes:read',
  'signings:read',
  'editorial:read',
  'signing-notes:read',
] as const;
export type Scope = (typeof scopes)[number];

/** A form that a key is served in for a time (decisions, "Operator's commands"). */
export interface Trial {
  readonly form: FormName;
  /** Epoch milliseconds; from then on the key is served in its own form again. */
  readonly until: number;
}

/** An API key as stored, without its text. Instants are epoch milliseconds. */
export interface KeyRecord {
  /** The public part of the key's text; may be logged. */
  readonly id: string;
  /** SHA-256 of the key's text, lower-case hex. */
  readonly hash: string;
  readonly organizationId: string;
  readonly partner: string;
  readonly form: FormName;
  readonly scopes: readonly Scope[];
  /** Requests per hour in the variant form; `undefined`: the form's default. */
  readonly perHour: number | undefined;
  /** True if `X-Envelope` may choose the other form. */
  readonly allowEnvelopeOverride: boolean;
  /** The announced day on which the variant form ends for this key. */
  readonly sunset: Day | undefined;
  readonly deprecatedAt: number | undefined;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** The id of the key that replaces it: it ends with the overlap, and is not rotated again. */
  readonly replacedBy: string | undefined;
  /** The latest trial of another form, also when it has ended. */
  readonly trial: Trial | undefined;
}

/** What a key says of its own end; absent when it cannot be read. */
export type KeyEnds = Partial<Pick<KeyRecord, 'sunset' | 'deprecatedAt' | 'expiresAt'>>;

/**
 * A key that was issued but cannot be judged: its document or that of its organization cannot be
 * read and never could.
 */
export interface UnreadableKey {
  /** `undefined`, like every member here, when it cannot be read. */
  readonly id: string | undefined;
  readonly hash: string | undefined;
  readonly form: FormName | undefined;
  readonly organizationId: string | undefined;
  readonly trial?: Trial | undefined;
  /** True if it is revoked, or its organization suspended: that is stored beside what is not read. */
  readonly isEnded?: boolean;
}

/**
 * The customer that keys belong to. The current form counts quotas per organization; `undefined`
 * limits mean the form's defaults. Instants are epoch milliseconds.
 */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly perMinute: number | undefined;
  readonly perDay: number | undefined;
  readonly suspendedAt: number | undefined;
}

/** What a demo key of the embedded sandbox shows to partners who cannot provoke it. */
export const demoFaults = ['outage', 'error', 'slow', 'cut'] as const;
export type DemoFault = (typeof demoFaults)[number];

/** A key and the organization it belongs to. */
export interface Caller {
  readonly key: KeyRecord;
  readonly organization: Organization;
  readonly scopes: ReadonlySet<Scope>;
}

export type QuotaWindow = 'minute' | 'hour' | 'day';

/** The requests that one subject may make in each clock-aligned UTC window. */
export interface Allowance {
  readonly window: QuotaWindow;
  /** Requests per window. */
  readonly limit: number;
  /** `organization:<id>` or `key:<id>`: requests with the same subject share one count. */
  readonly subject: string;
}
