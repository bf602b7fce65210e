import type { FormName, KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/instants.ts';
import type { UsageCount } from '../../../src/domain/usage.ts';
import { stateOf } from '../../../src/keys/key-policy.ts';

/** What one key asked of one route in one form, or that it asked nothing. */
export interface UsageRow {
  readonly organization_id: string;
  readonly key_id: string;
  /** Unknown when the key is no longer there. */
  readonly partner: string | undefined;
  readonly key_form: FormName | undefined;
  readonly state: string | undefined;
  /** The form that was served; none when nothing was asked. */
  readonly form: FormName | undefined;
  readonly route: string | undefined;
  readonly requests: number;
  /** Those of them that a spent quota refused. */
  readonly refused: number;
  /** Those of them that were wrong for another reason. */
  readonly client_errors: number;
  readonly server_errors: number;
  readonly uses: UsageCount['uses'];
  readonly last_call_at: string | undefined;
}

/** What is known of the keys that may have asked. */
export interface KnownKeys {
  readonly keys: readonly KeyRecord[];
  readonly organizations: readonly Organization[];
  /** Epoch milliseconds. */
  readonly now: number;
}

type Group<Item> = [Item, ...Item[]];

const groupBy = <Item>(items: readonly Item[], placeOf: (item: Item) => string): Group<Item>[] => {
  const groups = new Map<string, Group<Item>>();
  for (const item of items) {
    const group = groups.get(placeOf(item));
    if (group === undefined) groups.set(placeOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
};

const requestsOf = (counts: readonly UsageCount[], isMeant: (status: number) => boolean): number =>
  counts.filter(({ status }) => isMeant(status)).reduce((sum, { requests }) => sum + requests, 0);

const lastOf = (counts: Group<UsageCount>): number =>
  counts.map(({ lastAt }) => lastAt).reduce((one, other) => Math.max(one, other));

const newestFirst = (one: Group<UsageCount>, other: Group<UsageCount>): number => lastOf(other) - lastOf(one);

/** How often parameters were used in which way, the most frequent first. */
const usesOf = (counts: readonly UsageCount[]): UsageCount['uses'] => {
  const sums = new Map<string, number>();
  for (const { uses } of counts) {
    for (const [use, times] of Object.entries(uses)) sums.set(use, (sums.get(use) ?? 0) + times);
  }
  return Object.fromEntries([...sums].sort(([, one], [, other]) => other - one));
};

const aboutKey = (id: string, { keys, organizations, now }: KnownKeys) => {
  const key = keys.find((one) => one.id === id);
  const organization = organizations.find((one) => one.id === key?.organizationId);
  return { partner: key?.partner, key_form: key?.form, state: key && stateOf(key, organization, now) };
};

const isSpent = (status: number): boolean => status === 429;

/** What counts of the same tell together; of none, that there was no request. */
const sumUp = (counts: readonly UsageCount[]) => ({
  requests: requestsOf(counts, () => true),
  refused: requestsOf(counts, isSpent),
  client_errors: requestsOf(counts, (status) => status >= 400 && status < 500 && !isSpent(status)),
  server_errors: requestsOf(counts, (status) => status >= 500),
  uses: usesOf(counts),
});

const calledRow = (counts: Group<UsageCount>, known: KnownKeys): UsageRow => {
  const [{ keyId, organizationId, form, route }] = counts;
  const ids = { organization_id: organizationId, key_id: keyId, ...aboutKey(keyId, known) };
  return { ...ids, form, route, ...sumUp(counts), last_call_at: formatInstant(lastOf(counts)) };
};

const silentRow = ({ id, organizationId }: KeyRecord, known: KnownKeys): UsageRow => {
  const ids = { organization_id: organizationId, key_id: id, ...aboutKey(id, known) };
  return { ...ids, form: undefined, route: undefined, ...sumUp([]), last_call_at: undefined };
};

/**
 * One row for each form and route that a key used: the key that called last comes first, and of its rows the last used. Keys
 * that called nothing follow, unless they are revoked or expired. With a form, only what was answered in it and the keys that
 * are pinned to it.
 */
export const toUsageRows = (counts: readonly UsageCount[], known: KnownKeys, form?: FormName): UsageRow[] => {
  const isMeant = (of: { readonly form: FormName }): boolean => form === undefined || of.form === form;
  const meant = counts.filter(isMeant);
  const called = groupBy(meant, ({ keyId }) => keyId)
    .sort(newestFirst)
    .flatMap((ofKey) =>
      groupBy(ofKey, (count) => JSON.stringify([count.organizationId, count.form, count.route])).sort(newestFirst),
    )
    .map((group) => calledRow(group, known));
  const heard = new Set(meant.map(({ keyId }) => keyId));
  const silent = known.keys.filter((key) => isMeant(key) && !heard.has(key.id)).map((key) => silentRow(key, known));
  return [...called, ...silent.filter(({ state }) => state !== 'revoked' && state !== 'expired')];
};
