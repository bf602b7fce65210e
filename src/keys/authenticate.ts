import { timingSafeEqual } from 'node:crypto';
import type { Caller, KeyEnds, UnreadableKey } from '../domain/caller.ts';
import type { DocumentFault } from '../domain/document-fault.ts';
import { Problem } from '../domain/problem.ts';
import type { KeyRecords } from '../ports.ts';
import { explainRefusal } from './explain-refusal.ts';
import { keyHash, keyIdIn } from './key-format.ts';
import { stateOf } from './key-policy.ts';
import { keyAt } from './pinning.ts';

/**
 * An issued key: of a caller, of an organization that there is not, or one that cannot be judged
 * because a document cannot be read.
 */
type IssuedKey = UnreadableKey &
  KeyEnds & { readonly caller: Caller | 'no organization' | 'unreadable' };

/** All issued keys. Revoked and expired keys are in it: `authenticate` checks them. */
export interface KeyDirectory {
  /** By the key's public id. A key whose id cannot be read is found by its hash. */
  readonly issued: ReadonlyMap<string, IssuedKey>;
  /** Why no key can be judged: there are no keys, or no organizations. */
  readonly missing: string | undefined;
  readonly faults: readonly DocumentFault[];
}

/** The holder of an issued key, as far as it is known. */
export type KeyOwner = Pick<UnreadableKey, 'id' | 'form' | 'organizationId'> & KeyEnds;

/**
 * The caller, or the problem to raise once the path is known to exist: an unknown path needs no
 * key, so authenticating never throws.
 */
export type Authentication =
  | { readonly caller: Caller }
  | {
      readonly problem: Problem;
      /** The holder of the key, when it was issued but is not valid now. */
      readonly keyOwner: KeyOwner | undefined;
    };

const byHash = (hash: string): string => `hash ${hash}`;

const missingIn = ({ keys, organizations, unreadable = [] }: KeyRecords): string | undefined => {
  // a key that can be read is unreadable because of its organization, which is there
  const isOrganizationThere = unreadable.some(({ id }) => keys.some((key) => key.id === id));
  const missing = [
    ...(keys.length + unreadable.length === 0 ? ['key'] : []),
    ...(organizations.length === 0 && !isOrganizationThere ? ['organization'] : []),
  ];
  return missing.length === 0 ? undefined : `there is no ${missing.join(' and no ')}`;
};

/** Builds the directory. A key without an organization is in it: it is refused in its own form. */
export const buildKeyDirectory = (records: KeyRecords): KeyDirectory => {
  const organizations = new Map(
    records.organizations.map((organization) => [organization.id, organization]),
  );
  const issued = new Map<string, IssuedKey>();
  for (const key of records.unreadable ?? []) {
    const place = key.id ?? (key.hash === undefined ? undefined : byHash(key.hash));
    if (place !== undefined) issued.set(place, { ...key, caller: 'unreadable' });
  }
  for (const key of records.keys) {
    const { id, hash, form, organizationId, trial, sunset, deprecatedAt, expiresAt } = key;
    const ends = { sunset, deprecatedAt, expiresAt };
    const organization = organizations.get(organizationId);
    const unreadable = issued.get(id);
    if (organization === undefined && unreadable !== undefined) {
      issued.set(id, { ...unreadable, ...ends }); // its organization is unreadable
      continue;
    }
    const caller =
      organization === undefined
        ? 'no organization'
        : { key, organization, scopes: new Set(key.scopes) };
    issued.set(id, { id, hash, form, organizationId, trial, ...ends, caller });
  }
  return { issued, missing: missingIn(records), faults: records.faults ?? [] };
};

const unauthorized = (message: string, keyOwner?: KeyOwner): Authentication => ({
  keyOwner,
  problem: new Problem('unauthorized', message),
});

const unavailable = (keyOwner?: KeyOwner): Authentication => ({
  keyOwner,
  problem: new Problem('unavailable', 'Authentication is temporarily unavailable.'),
});

const bearer = /^bearer +(\S+)$/i;

const equalHashes = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

/** The hash of no key, as long as one. */
const noHash = '0'.repeat(64);

/**
 * Finds the issued key of a text; a text whose form or check is wrong is none, whatever hash is
 * stored. A key whose hash cannot be read is any text with its id. An unknown id is hashed and
 * compared like a known one, so that the time of a refusal does not tell which ids exist.
 */
const findIssued = (text: string, directory: KeyDirectory | undefined): IssuedKey | undefined => {
  const hash = keyHash(text);
  const withHash = directory?.issued.get(byHash(hash));
  const id = keyIdIn(text);
  const issued = id === undefined ? undefined : (directory?.issued.get(id) ?? withHash);
  const isSame = equalHashes(issued?.hash ?? noHash, hash);
  const cannotTell = issued !== undefined && issued.hash === undefined;
  return isSame || cannotTell ? issued : undefined;
};

/** The caller at an instant (epoch milliseconds): a copy only while the key tries a form. */
const callerAt = (caller: Caller, now: number): Caller => {
  const key = keyAt(caller.key, now);
  return key === caller.key ? caller : { ...caller, key };
};

/**
 * Resolves an `Authorization` header (decisions, "Order of checks"). Never throws.
 *
 * @param authorization the header's value; `undefined` unless it was sent exactly once
 * @param directory the keys of the last load; `undefined` before the first one
 * @param fresh whether that load is recent enough to refuse a key as unknown; if not, and for a key
 * whose document or organization cannot be read, unless one of them says that it has ended, the
 * problem is `unavailable` (decisions, "Freshness and caching")
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
  const refuse = (owner?: KeyOwner): Authentication =>
    unauthorized(explainRefusal(authorization, query), owner);
  const issued = findIssued(text, directory);
  const canJudge = fresh && directory?.missing === undefined;
  if (issued === undefined)
    return canJudge || keyIdIn(text) === undefined ? refuse() : unavailable();
  if (issued.caller === 'unreadable' || issued.caller === 'no organization') {
    const isRefused = issued.caller === 'no organization' || issued.isEnded;
    const owner = keyAt(issued, now);
    return canJudge && isRefused ? refuse(owner) : unavailable(owner);
  }
  const caller = callerAt(issued.caller, now);
  if (!canJudge) return unavailable(caller.key);
  if (stateOf(caller.key, caller.organization, now) !== 'active') return refuse(caller.key);
  return { caller };
};
