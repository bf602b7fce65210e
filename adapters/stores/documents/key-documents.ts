import { z } from 'zod';
import {
  type KeyRecord,
  type Organization,
  type Scope,
  scopes,
} from '../../../src/domain/caller.ts';
import { parseDocument } from './parse-document.ts';
import { type DocumentIssue, mapParsed, type Parsed } from './parse-result.ts';
import type { StoredDocument } from './stored-document.ts';
import { camelCase, storedRules as is } from './stored-rules.ts';

const limit = z.int().min(0);

const organizationShape = {
  _id: is.text(),
  name: is.text(),
  quota: is.object({ per_minute: limit.nullish(), per_day: limit.nullish() }).nullish(),
  suspended_at: is.instant.nullish(),
};
const organization = is.object(organizationShape);

const keyId = z.string().regex(/^[0-9A-Za-z]{1,64}$/, 'must be 1 to 64 base62 characters');

/** The fields that identify a key or decide its form. */
export const keyIdentity = (formNames: readonly string[]) => {
  const form = is.oneOf(formNames);
  return {
    _id: keyId,
    hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
    organization_id: is.text(),
    form,
    trial: is.object({ form, until: is.instant }),
  };
};

const keyShape = (formNames: readonly string[]) => {
  const { _id, hash, organization_id, form, trial } = keyIdentity(formNames);
  return {
    _id,
    hash,
    organization_id,
    partner: is.text(200), // fits on one line of a list
    form,
    // A later version may have issued the key, with scopes that this version does not have.
    scopes: z.array(z.string()),
    quota: is.object({ per_hour: limit.nullish() }).nullish(),
    allow_envelope_override: is.flag.nullish(),
    sunset: is.day.nullish(),
    deprecated_at: is.instant.nullish(),
    created_at: is.instant,
    expires_at: is.instant.nullish(),
    revoked_at: is.instant.nullish(),
    replaced_by: keyId.nullish(),
    trial: trial.nullish(),
  };
};

export const parseOrganization = (document: unknown): Parsed<Organization> =>
  mapParsed(parseDocument(organization, document), ({ documentId: id, quota, ...members }) => ({
    id,
    ...members,
    perMinute: quota?.perMinute,
    perDay: quota?.perDay,
  }));

const isScope = (scope: string): scope is Scope => scopes.some((known) => known === scope);

const unknownScopes = (stored: readonly string[]): DocumentIssue[] =>
  stored.flatMap((scope, index) =>
    isScope(scope)
      ? []
      : [{ path: `scopes.${index}`, message: 'is not a scope that this version knows' }],
  );

/**
 * Creates the parser of documents of the collection `api_keys`. A key whose form is not among
 * `formNames` is invalid; unknown scopes are left out. The text of a demo key is not read.
 */
export const createKeyParser = (
  formNames: readonly string[],
): ((document: unknown) => Parsed<KeyRecord>) => {
  const schema = is.object(keyShape(formNames));
  return (document) => {
    const parsed = parseDocument(schema, document);
    if ('issue' in parsed) return parsed;
    const {
      documentId: id,
      quota,
      scopes,
      allowEnvelopeOverride = false,
      ...members
    } = parsed.model;
    const known = scopes.filter(isScope);
    const model = { id, ...members, scopes: known, perHour: quota?.perHour, allowEnvelopeOverride };
    const leftOut = unknownScopes(scopes);
    return { model, ...(leftOut.length > 0 && { leftOut }) };
  };
};

/** All stored field names of a key and an organization. */
export const keyMemberNames = Object.keys(keyShape([]));
export const organizationMemberNames = Object.keys(organizationShape);

/**
 * The fields in stored form by these names, without fields that have no value. Times become dates.
 */
const toStored = (
  names: readonly string[],
  members: Readonly<Record<string, unknown>>,
): StoredDocument =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = members[camelCase(name)];
      return value === undefined
        ? []
        : [[name, name.endsWith('_at') ? new Date(Number(value)) : value]];
    }),
  );

const quotaOf = (
  names: readonly string[],
  limits: Readonly<Record<string, unknown>>,
): StoredDocument | undefined => {
  const quota = toStored(names, limits);
  return Object.keys(quota).length > 0 ? quota : undefined;
};

/** An organization's members in the collection `organizations`, without `_id`. */
export const organizationMembers = ({
  perMinute,
  perDay,
  ...members
}: Organization): StoredDocument => {
  const quota = quotaOf(['per_minute', 'per_day'], { perMinute, perDay });
  return toStored(organizationMemberNames, { ...members, quota });
};

/** A key's members in the collection `api_keys`, without `_id` and `hash`, which never change. */
export const keyMembers = ({ hash, perHour, trial, ...members }: KeyRecord): StoredDocument => {
  const allowEnvelopeOverride = members.allowEnvelopeOverride || undefined;
  return toStored(keyMemberNames, {
    ...members,
    allowEnvelopeOverride,
    quota: quotaOf(['per_hour'], { perHour }),
    trial: trial && { form: trial.form, until: new Date(trial.until) },
  });
};
