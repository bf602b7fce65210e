import type { Day } from './day.ts';

/** The name of a form. `adapters/forms/forms.ts` lists the forms that exist. */
export type FormName = string;

/** The possible forms of responses to unknown keys. The first is the default. */
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

/** A form that a key tries for a limited time (decisions, "Operator's commands"). */
export interface Trial {
  readonly form: FormName;
  /** Epoch milliseconds. From then on the key has its own form again. */
  readonly until: number;
}

/** An API key as stored, without its text. Times are epoch milliseconds. */
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
  /**
   * The id of the key that replaces it. It expires with the overlap, and cannot be rotated again.
   */
  readonly replacedBy: string | undefined;
  /** The latest trial of another form, even if it has ended. */
  readonly trial: Trial | undefined;
}

/** When a key and its form end. Fields that cannot be read are absent. */
export type KeyEnds = Partial<Pick<KeyRecord, 'sunset' | 'deprecatedAt' | 'expiresAt'>>;

/**
 * An issued key that cannot be checked: its document or its organization's document was never
 * readable.
 */
export interface UnreadableKey {
  /** `undefined`, like every field here, if it cannot be read. */
  readonly id: string | undefined;
  readonly hash: string | undefined;
  readonly form: FormName | undefined;
  readonly organizationId: string | undefined;
  readonly trial?: Trial | undefined;
  /**
   * True if the key is revoked, or its organization suspended. This can be read even if the rest
   * cannot.
   */
  readonly isEnded?: boolean;
}

/**
 * The customer that keys belong to. The current form counts quotas per organization; `undefined`
 * limits mean the form's defaults. Times are epoch milliseconds.
 */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly perMinute: number | undefined;
  readonly perDay: number | undefined;
  readonly suspendedAt: number | undefined;
}

/**
 * Faults that a demo key of the embedded sandbox simulates, because partners cannot provoke them.
 */
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
