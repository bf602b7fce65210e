import { timingSafeEqual } from 'node:crypto';
import type { Caller, KeyRecord, Organization } from '../domain/caller.ts';
import { Problem } from '../domain/problem.ts';
import type { KeyRecords } from '../ports.ts';
import { explainRefusal } from './explain-refusal.ts';
import { idIn, keyHash, keyIdIn } from './key-format.ts';

/** The callers of all issued keys, by the key's public id. Revoked and expired keys are in it: `authenticate` checks them. */
export type KeyDirectory = ReadonlyMap<string, Caller>;

/**
 * The caller, or the problem to raise once the path is known to exist: an unknown path needs no key, so authenticating
 * never throws.
 */
export type Authentication =
  | { readonly caller: Caller }
  | {
      readonly problem: Problem;
      /** The holder of the key, when it was issued but is not valid now. */
      readonly keyOwner: Caller | undefined;
    };

/** Builds the directory. A key of an unknown organization is left out. */
export const buildKeyDirectory = (records: KeyRecords): KeyDirectory => {
  const organizations = new Map(records.organizations.map((organization) => [organization.id, organization]));
  const directory = new Map<string, Caller>();
  for (const key of records.keys) {
    const organization = organizations.get(key.organizationId);
    if (organization !== undefined) directory.set(key.id, { key, organization, scopes: new Set(key.scopes) });
  }
  return directory;
};

const unauthorized = (message: string, keyOwner?: Caller): Authentication => ({
  keyOwner,
  problem: new Problem('unauthorized', message),
});

const unavailable = (keyOwner?: Caller): Authentication => ({
  keyOwner,
  problem: new Problem('unavailable', 'Authentication is temporarily unavailable.'),
});

const bearer = /^bearer +(\S+)$/i;

const equalHashes = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

/** The hash of no key, as long as one. */
const noHash = '0'.repeat(64);

/**
 * Finds the caller of a key's text. The check digits need no test when the hash is that of an issued key. An unknown id is
 * hashed and compared like a known one, so that the time of a refusal does not tell which ids exist.
 */
const findCaller = (text: string, directory: KeyDirectory | undefined): Caller | undefined => {
  const caller = directory?.get(idIn(text) ?? '');
  return equalHashes(caller?.key.hash ?? noHash, keyHash(text)) ? caller : undefined;
};

const isInactive = (key: KeyRecord, organization: Organization, now: number): boolean =>
  (key.revokedAt !== undefined && key.revokedAt <= now) ||
  (key.expiresAt !== undefined && key.expiresAt <= now) ||
  (organization.suspendedAt !== undefined && organization.suspendedAt <= now);

/**
 * Resolves an `Authorization` header (specification, "Authentication"). Never throws.
 *
 * @param authorization the header's value; `undefined` unless it was sent exactly once
 * @param directory the keys of the last load; `undefined` before the first one
 * @param fresh whether that load is recent enough to refuse a key as unknown; if not, the problem is `unavailable`
 * @param now epoch milliseconds
 * @param query the query string, which only explains a refusal
 */
export const authenticate = (
  authorization: string | undefined,
  directory: KeyDirectory | undefined,
  fresh: boolean,
  now: number,
  query = '',
): Authentication => {
  const text = bearer.exec(authorization ?? '')?.[1] ?? '';
  const caller = findCaller(text, directory);
  if (caller === undefined) {
    return fresh || keyIdIn(text) === undefined ? unauthorized(explainRefusal(authorization, query)) : unavailable();
  }
  const { key, organization } = caller;
  if (!fresh) return unavailable(caller);
  if (isInactive(key, organization, now)) return unauthorized(explainRefusal(authorization, query), caller);
  return { caller };
};
