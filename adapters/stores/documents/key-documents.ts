import { z } from 'zod';
import { type KeyRecord, type Organization, type Scope, scopes } from '../../../src/domain/caller.ts';
import { day, instant, maybe, text } from './field-schemas.ts';
import { type DocumentIssue, mapParsed, type Parsed, parseWith } from './parse-result.ts';

const limit = z.int().min(0);

const organizationDocument = z.object({
  _id: text,
  name: text,
  quota: maybe(z.object({ per_minute: maybe(limit), per_day: maybe(limit) })),
  suspended_at: maybe(instant),
});

/** The members by which a key is found, and its form. */
export const keyMemberSchemas = (formNames: readonly string[]) => ({
  _id: z.string().regex(/^[0-9A-Za-z]{1,64}$/, 'must be 1 to 64 base62 characters'),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
  organization_id: text,
  form: z.enum(formNames),
});

const keyDocumentOf = (formNames: readonly string[]) =>
  z.object({
    ...keyMemberSchemas(formNames),
    // Fits into one line of a listing.
    partner: text.max(200),
    scopes: z.array(z.string()),
    quota: maybe(z.object({ per_hour: maybe(limit) })),
    allow_envelope_override: maybe(z.boolean()),
    sunset: maybe(day),
    deprecated_at: maybe(instant),
    created_at: instant,
    expires_at: maybe(instant),
    revoked_at: maybe(instant),
  });

/** Parses a document of the collection `organizations`. */
export const parseOrganization = (document: unknown): Parsed<Organization> =>
  mapParsed(parseWith(organizationDocument, document), (organization) => ({
    id: organization._id,
    name: organization.name,
    perMinute: organization.quota?.per_minute,
    perDay: organization.quota?.per_day,
    suspendedAt: organization.suspended_at,
  }));

const isScope = (scope: string): scope is Scope => scopes.some((known) => known === scope);

/** The issues of scopes that this version does not know: a later version may have issued the key. */
const unknownScopes = (stored: readonly string[]): DocumentIssue[] =>
  stored.flatMap((scope, index) =>
    isScope(scope) ? [] : [{ path: `scopes.${index}`, message: 'is no scope that this version knows' }],
  );

/**
 * Creates the parser of documents of the collection `api_keys`. A key of a form that is not among `formNames` is invalid;
 * unknown scopes are left out. The text of a demo key is not read.
 */
export const createKeyParser = (formNames: readonly string[]): ((document: unknown) => Parsed<KeyRecord>) => {
  const keyDocument = keyDocumentOf(formNames);
  return (document) => {
    const parsed = parseWith(keyDocument, document);
    const leftOut = 'model' in parsed ? unknownScopes(parsed.model.scopes) : [];
    const key = mapParsed(parsed, (key) => ({
      id: key._id,
      hash: key.hash,
      organizationId: key.organization_id,
      partner: key.partner,
      form: key.form,
      scopes: key.scopes.filter(isScope),
      perHour: key.quota?.per_hour,
      allowEnvelopeOverride: key.allow_envelope_override ?? false,
      sunset: key.sunset,
      deprecatedAt: key.deprecated_at,
      createdAt: key.created_at,
      expiresAt: key.expires_at,
      revokedAt: key.revoked_at,
    }));
    return 'model' in key && leftOut.length > 0 ? { ...key, leftOut } : key;
  };
};

/** Members of a document as MongoDB stores them; members without a value are absent. */
export type StoredMembers = Readonly<Record<string, unknown>>;

export const withoutUndefined = (members: StoredMembers): StoredMembers =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const dateOf = (ms: number | undefined): Date | undefined => (ms === undefined ? undefined : new Date(ms));

const quotaOf = (limits: StoredMembers): StoredMembers | undefined => {
  const quota = withoutUndefined(limits);
  return Object.keys(quota).length === 0 ? undefined : quota;
};

/** An organization's members in the collection `organizations`, without `_id`. */
export const organizationMembers = (organization: Organization): StoredMembers =>
  withoutUndefined({
    name: organization.name,
    quota: quotaOf({ per_minute: organization.perMinute, per_day: organization.perDay }),
    suspended_at: dateOf(organization.suspendedAt),
  });

/** A key's members in the collection `api_keys`, without `_id` and `hash`, which never change. */
export const keyMembers = (key: KeyRecord): StoredMembers =>
  withoutUndefined({
    organization_id: key.organizationId,
    partner: key.partner,
    form: key.form,
    scopes: key.scopes,
    quota: quotaOf({ per_hour: key.perHour }),
    allow_envelope_override: key.allowEnvelopeOverride || undefined,
    sunset: key.sunset,
    deprecated_at: dateOf(key.deprecatedAt),
    created_at: dateOf(key.createdAt),
    expires_at: dateOf(key.expiresAt),
    revoked_at: dateOf(key.revokedAt),
  });
