import { z } from 'zod';
import { type KeyRecord, type Organization, type Scope, scopes } from '../../../src/domain/caller.ts';
import { listOf, objectOf, optional, required, type Type } from './member-types.ts';
import { parseDocument } from './parse-document.ts';
import { type DocumentIssue, mapParsed, type Parsed } from './parse-result.ts';
import { day, flag, instant, oneOf, text } from './simple-types.ts';
import type { StoredDocument } from './stored-document.ts';

/** A model with these limits in one member, as they are stored. */
type WithQuota<Model, Limit extends keyof Model> = Omit<Model, Limit> & {
  readonly quota: Pick<Model, Limit> | undefined;
};

/** The quota that is stored for limits. */
const quotaOf = <Limits extends object>(limits: Limits): Limits | undefined =>
  Object.values(limits).some((limit) => limit !== undefined) ? limits : undefined;

const limit: Type<number> = { is: 'count', schema: z.int().min(0) };

const organization = objectOf<WithQuota<Organization, 'perMinute' | 'perDay'>>({
  id: { ...required(text()), name: '_id' },
  name: required(text()),
  quota: optional(
    objectOf<Pick<Organization, 'perMinute' | 'perDay'>>({ perMinute: optional(limit), perDay: optional(limit) }),
  ),
  suspendedAt: optional(instant),
});

const matching = (pattern: RegExp, expected: string): Type<string> => ({
  ...text(),
  schema: z.string().regex(pattern, expected),
});

const keyId = matching(/^[0-9A-Za-z]{1,64}$/, 'must be 1 to 64 base62 characters');

/** The members by which a key is found, and its form. */
export const keyIdentity = (formNames: readonly string[]) => ({
  id: { ...required(keyId), name: '_id' },
  hash: required(matching(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex')),
  organizationId: required(text()),
  form: required(oneOf(formNames)),
});

/** A key as it is stored: a later version may have issued it, with scopes that this one does not know. */
type StoredKey = Omit<WithQuota<KeyRecord, 'perHour'>, 'scopes' | 'allowEnvelopeOverride'> & {
  readonly scopes: readonly string[];
  readonly allowEnvelopeOverride: boolean | undefined;
};

const keyOf = (formNames: readonly string[]) => {
  const { id, hash, organizationId, form } = keyIdentity(formNames);
  return objectOf<StoredKey>({
    id,
    hash,
    organizationId,
    partner: required(text(200)), // fits into one line of a listing
    form,
    scopes: required(listOf({ ...text(), schema: z.string() }, 'scopes')),
    quota: optional(objectOf<Pick<KeyRecord, 'perHour'>>({ perHour: optional(limit) })),
    allowEnvelopeOverride: optional(flag),
    sunset: optional(day),
    deprecatedAt: optional(instant),
    createdAt: required(instant),
    expiresAt: optional(instant),
    revokedAt: optional(instant),
    replacedBy: optional(keyId),
  });
};

/** Parses a document of the collection `organizations`. */
export const parseOrganization = (document: unknown): Parsed<Organization> =>
  mapParsed(parseDocument(organization, document), ({ quota, ...members }) => ({
    ...members,
    perMinute: quota?.perMinute,
    perDay: quota?.perDay,
  }));

const isScope = (scope: string): scope is Scope => scopes.some((known) => known === scope);

/** The issues of scopes that this version does not know. */
const unknownScopes = (stored: readonly string[]): DocumentIssue[] =>
  stored.flatMap((scope, index) =>
    isScope(scope) ? [] : [{ path: `scopes.${index}`, message: 'is not a scope that this version knows' }],
  );

/**
 * Creates the parser of documents of the collection `api_keys`. A key of a form that is not among `formNames` is invalid;
 * unknown scopes are left out. The text of a demo key is not read.
 */
export const createKeyParser = (formNames: readonly string[]): ((document: unknown) => Parsed<KeyRecord>) => {
  const type = keyOf(formNames);
  return (document) => {
    const parsed = parseDocument(type, document);
    if ('issue' in parsed) return parsed;
    const { quota, scopes, allowEnvelopeOverride = false, ...members } = parsed.model;
    const model = { ...members, scopes: scopes.filter(isScope), perHour: quota?.perHour, allowEnvelopeOverride };
    const leftOut = unknownScopes(scopes);
    return { model, ...(leftOut.length > 0 && { leftOut }) };
  };
};

/** The names of all members that a key and an organization may have, as they are stored. */
export const keyMemberNames = keyOf([]).members.map(({ name }) => name);
export const organizationMemberNames = organization.members.map(({ name }) => name);

/** An organization's members in the collection `organizations`, without `_id`. */
export const organizationMembers = ({ perMinute, perDay, ...members }: Organization): StoredDocument => {
  const { _id, ...stored } = organization.toStored({ ...members, quota: quotaOf({ perMinute, perDay }) });
  return stored;
};

/** A key's members in the collection `api_keys`, without `_id` and `hash`, which never change. */
export const keyMembers = ({ perHour, ...members }: KeyRecord): StoredDocument => {
  const allowEnvelopeOverride = members.allowEnvelopeOverride || undefined;
  const key = { ...members, quota: quotaOf({ perHour }), allowEnvelopeOverride };
  const { _id, hash, ...stored } = keyOf([members.form]).toStored(key);
  return stored;
};
