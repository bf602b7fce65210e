import { timingSafeEqual } from 'node:crypto';
import type { Caller, FormName, KeyRecord, Organization } from '../domain/caller.ts';
import { Problem } from '../domain/problem.ts';
import type { KeyRecords } from '../ports.ts';
import { idIn, keyHash, keyIdIn } from './key-format.ts';

/** Who holds each key that was issued, by the key's public id: good or not, that is found out when it is used. */
export type KeyDirectory = ReadonlyMap<string, Caller>;

/**
 * Who asks, or the problem to raise once it is certain that the path exists; and in either case the form to answer in.
 * Resolving never rejects: an unknown path needs no key.
 */
export type Authentication =
  | { readonly form: FormName; readonly caller: Caller }
  | {
      readonly form: FormName;
      readonly problem: Problem;
      /** Whose key it is, when it was issued but opens nothing now. */
      readonly keyOwner?: Caller;
    };

/** Builds the directory; a key whose organization is not there is left out. */
export const buildKeyDirectory = (records: KeyRecords): KeyDirectory => {
  const organizations = new Map(records.organizations.map((organization) => [organization.id, organization]));
  const directory = new Map<string, Caller>();
  for (const key of records.keys) {
    const organization = organizations.get(key.organizationId);
    if (organization !== undefined) directory.set(key.id, { key, organization, scopes: new Set(key.scopes) });
  }
  return directory;
};

/** What nobody issued, and no key at all, is answered in this form. */
const defaultForm: FormName = 'current';

/** One message for every refused key, so that an answer does not tell whether a key ever existed. */
const unauthorized = (form: FormName, keyOwner?: Caller): Authentication => ({
  form,
  ...(keyOwner && { keyOwner }),
  problem: new Problem('unauthorized', 'A valid API key is required: send it as "Authorization: Bearer <API_KEY>".'),
});

const cannotJudge = (form: FormName, keyOwner?: Caller): Authentication => ({
  form,
  ...(keyOwner && { keyOwner }),
  problem: new Problem('unavailable', 'Authentication is temporarily unavailable.'),
});

const bearer = /^bearer +(\S+)$/i;

const sameHash = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

/** Whose key a text is. What hashes as a key that was issued needs no other check. */
const holderOf = (text: string, directory: KeyDirectory | undefined): Caller | undefined => {
  const caller = directory?.get(idIn(text) ?? '');
  return caller !== undefined && sameHash(caller.key.hash, keyHash(text)) ? caller : undefined;
};

const isOver = (key: KeyRecord, organization: Organization, now: number): boolean =>
  (key.revokedAt !== undefined && key.revokedAt <= now) ||
  (key.expiresAt !== undefined && key.expiresAt <= now) ||
  (organization.suspendedAt !== undefined && organization.suspendedAt <= now);

/**
 * Resolves an `Authorization` header (specification, "Authentication").
 *
 * @param authorization the header's only value; `undefined` when there is none or more than one
 * @param directory the keys as last loaded; `undefined` when they never were
 * @param fresh whether that load is recent enough to refuse a key as wrong
 * @param now epoch milliseconds
 */
export const authenticate = (
  authorization: string | undefined,
  directory: KeyDirectory | undefined,
  fresh: boolean,
  now: number,
): Authentication => {
  const text = bearer.exec(authorization ?? '')?.[1] ?? '';
  const caller = holderOf(text, directory);
  if (caller === undefined) {
    return fresh || keyIdIn(text) === undefined ? unauthorized(defaultForm) : cannotJudge(defaultForm);
  }
  const { key, organization } = caller;
  if (!fresh) return cannotJudge(key.form, caller);
  if (isOver(key, organization, now)) return unauthorized(key.form, caller);
  return { form: key.form, caller };
};
