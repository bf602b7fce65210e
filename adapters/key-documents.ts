import { z } from 'zod';
import { formNames, type KeyRecord, type Organization, scopes } from '../src/caller.ts';
import { day, instant, maybe, text } from './document-members.ts';
import { mapParsed, type Parsed, parseWith } from './documents.ts';

const limit = z.int().min(0);

const organizationDocument = z.object({
  _id: text,
  name: text,
  quota: maybe(z.object({ per_minute: maybe(limit), per_day: maybe(limit) })),
  suspended_at: maybe(instant),
});

const keyDocument = z.object({
  _id: z.string().regex(/^[0-9A-Za-z]{1,64}$/, 'must be 1 to 64 base62 characters'),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
  organization_id: text,
  // Sent in a JSON body only, but kept to what fits one line wherever it is shown.
  partner: text.max(200),
  form: z.enum(formNames),
  scopes: z.array(z.enum(scopes)),
  quota: maybe(z.object({ per_hour: maybe(limit) })),
  allow_envelope_override: maybe(z.boolean()),
  sunset: maybe(day),
  deprecated_at: maybe(instant),
  created_at: instant,
  expires_at: maybe(instant),
  revoked_at: maybe(instant),
});

/** A document of the collection `organizations`. */
export const parseOrganization = (document: unknown): Parsed<Organization> =>
  mapParsed(parseWith(organizationDocument, document), (organization) => ({
    id: organization._id,
    name: organization.name,
    perMinute: organization.quota?.per_minute,
    perDay: organization.quota?.per_day,
    suspendedAt: organization.suspended_at,
  }));

/** A document of the collection `api_keys`. The text of a demo key is not read here and goes no further. */
export const parseKey = (document: unknown): Parsed<KeyRecord> =>
  mapParsed(parseWith(keyDocument, document), (key) => ({
    id: key._id,
    hash: key.hash,
    organizationId: key.organization_id,
    partner: key.partner,
    form: key.form,
    scopes: key.scopes,
    perHour: key.quota?.per_hour,
    allowEnvelopeOverride: key.allow_envelope_override ?? false,
    sunset: key.sunset,
    deprecatedAt: key.deprecated_at,
    createdAt: key.created_at,
    expiresAt: key.expires_at,
    revokedAt: key.revoked_at,
  }));
