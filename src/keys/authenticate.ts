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
 * An issued key: with its caller, with a missing organization, or with a document that cannot be
 * read.
 */
type IssuedKey = UnreadableKey &
  KeyEnds & { readonly caller: Caller | 'no organization' | 'unreadable' };

/** All issued keys, even revoked and expired keys: `authenticate` checks them. */
export interface KeyDirectory {
  /** By public id. A key whose id cannot be read is found by its hash. */
  readonly issued: ReadonlyMap<string, IssuedKey>;
  /** Why no key can be checked: there are no keys, or no organizations. */
  readonly missing: string | undefined;
  readonly faults: readonly DocumentFault[];
}

/** The known facts about an issued key. */
export type KeyOwner = Pick<UnreadableKey, 'id' | 'form' | 'organizationId'> & KeyEnds;

/**
 * The caller, or the problem to raise after the route is found: an unknown path needs no key, so
 * authenticating never throws.
 */
export type Authentication =
  | { readonly caller: Caller }
  | {
      readonly problem: Problem;
      /** The owner of a key that was issued but is not valid now. */
      readonly keyOwner: KeyOwner | undefined;
    };

const byHash = (hash: string): string => `hash ${hash}`;

const missingIn = ({ keys, organizations, unreadable = [] }: KeyRecords): string | undefined => {
  // A readable key is listed as unreadable only if its organization exists but is not readable.
  const isOrganizationThere = unreadable.some(({ id }) => keys.some((key) => key.id === id));
  const missing = [
    ...(keys.length + unreadable.length === 0 ? ['key'] : []),
    ...(organizations.length === 0 && !isOrganizationThere ? ['organization'] : []),
  ];
  return missing.length === 0 ? undefined : `there is no ${missing.join(' and no ')}`;
};

/**
 * Builds the directory. It includes keys without an organization, which are refused in their own
 * form.
 */
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

/** A hash that no key has, with the length of a key's hash. */
const noHash = '0'.repeat(64);

/**
 * Finds the issued key of a text. A text with a wrong pattern or check never matches, regardless of
 * stored hashes. If a key's hash cannot be read, its id is enough. Unknown ids are hashed and
 * compared too, so that response times do not reveal which ids exist.
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

/** The caller at `now` (epoch milliseconds): a copy only if the key is in a trial. */
const callerAt = (caller: Caller, now: number): Caller => {
  const key = keyAt(caller.key, now);
  return key === caller.key ? caller : { ...caller, key };
};

/**
 * Authenticates an `Authorization` header (decisions, "Order of checks"). Never throws.
 *
 * @param authorization the header's value; `undefined` unless it was sent exactly once
 * @param directory the keys of the last load; `undefined` before the first load
 * @param fresh true if the load is recent enough to refuse unknown keys. If not, or if the key's
 * document or organization cannot be read and does not show its end, the problem is `unavailable`
 * (decisions, "Freshness and caching")
 * @param now epoch milliseconds
 * @param query the query string, used only to explain a refusal
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
