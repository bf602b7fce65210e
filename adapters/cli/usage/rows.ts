import type { FormName, KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { type Group, groupBy } from '../../../src/domain/group-by.ts';
import { formatInstant } from '../../../src/domain/instants.ts';
import type { UsageCount } from '../../../src/domain/usage.ts';
import { stateOf } from '../../../src/keys/key-policy.ts';

/** The requests of one key to one route in one form; or a key without requests. */
export interface UsageRow {
  readonly organization_id: string;
  readonly key_id: string;
  /** Unknown when the key was removed. */
  readonly partner: string | undefined;
  readonly key_form: FormName | undefined;
  readonly state: string | undefined;
  /** The form that was served; none without requests. */
  readonly form: FormName | undefined;
  readonly route: string | undefined;
  readonly requests: number;
  /** Those of them answered with 429. */
  readonly refused: number;
  /** Those of them answered with another 4xx. */
  readonly client_errors: number;
  readonly server_errors: number;
  readonly uses: UsageCount['uses'];
  readonly last_call_at: string | undefined;
}

/** The keys that may have made requests. */
interface KnownKeys {
  readonly keys: readonly KeyRecord[];
  readonly organizations: readonly Organization[];
  /** Epoch milliseconds. */
  readonly now: number;
}

const requestsWith = (counts: readonly UsageCount[], matches: (status: number) => boolean): number =>
  counts.filter(({ status }) => matches(status)).reduce((sum, { requests }) => sum + requests, 0);

const lastAt = (counts: Group<UsageCount>): number =>
  counts.map(({ lastAt }) => lastAt).reduce((one, other) => Math.max(one, other));

/** Groups of counts with the same key, the group with the latest call first. */
const groupByLatest = (counts: readonly UsageCount[], keyOf: (count: UsageCount) => string): Group<UsageCount>[] =>
  [...groupBy(counts, keyOf).values()].sort((one, other) => lastAt(other) - lastAt(one));

/** Parameter uses and how often each occurred, the most frequent first. */
const usesOf = (counts: readonly UsageCount[]): UsageCount['uses'] => {
  const sums = new Map<string, number>();
  for (const { uses } of counts) {
    for (const [use, times] of Object.entries(uses)) sums.set(use, (sums.get(use) ?? 0) + times);
  }
  return Object.fromEntries([...sums].sort(([, one], [, other]) => other - one));
};

const keyFacts = (id: string, { keys, organizations, now }: KnownKeys) => {
  const key = keys.find((one) => one.id === id);
  const organization = organizations.find((one) => one.id === key?.organizationId);
  return { partner: key?.partner, key_form: key?.form, state: key && stateOf(key, organization, now) };
};

const isQuotaRefusal = (status: number): boolean => status === 429;

/** Totals of counts; zeros when there are none. */
const totalsOf = (counts: readonly UsageCount[]) => ({
  requests: requestsWith(counts, () => true),
  refused: requestsWith(counts, isQuotaRefusal),
  client_errors: requestsWith(counts, (status) => status >= 400 && status < 500 && !isQuotaRefusal(status)),
  server_errors: requestsWith(counts, (status) => status >= 500),
  uses: usesOf(counts),
});

const activeRow = (counts: Group<UsageCount>, known: KnownKeys): UsageRow => {
  const [{ keyId, organizationId, form, route }] = counts;
  const ids = { organization_id: organizationId, key_id: keyId, ...keyFacts(keyId, known) };
  return { ...ids, form, route, ...totalsOf(counts), last_call_at: formatInstant(lastAt(counts)) };
};

const silentRow = ({ id, organizationId }: KeyRecord, known: KnownKeys): UsageRow => {
  const ids = { organization_id: organizationId, key_id: id, ...keyFacts(id, known) };
  return { ...ids, form: undefined, route: undefined, ...totalsOf([]), last_call_at: undefined };
};

/**
 * One row for each form and route that a key used. Keys, and the rows of a key, are in order of the latest call. Keys
 * without requests follow, unless they are revoked or expired. With a form: only requests answered in it, and keys pinned to it.
 */
export const toUsageRows = (counts: readonly UsageCount[], known: KnownKeys, form?: FormName): UsageRow[] => {
  const hasForm = (of: { readonly form: FormName }): boolean => form === undefined || of.form === form;
  const selected = counts.filter(hasForm);
  const active = groupByLatest(selected, ({ keyId }) => keyId)
    .flatMap((ofKey) =>
      groupByLatest(ofKey, (count) => JSON.stringify([count.organizationId, count.form, count.route])),
    )
    .map((group) => activeRow(group, known));
  const activeIds = new Set(selected.map(({ keyId }) => keyId));
  const silent = known.keys.filter((key) => hasForm(key) && !activeIds.has(key.id)).map((key) => silentRow(key, known));
  return [...active, ...silent.filter(({ state }) => state !== 'revoked' && state !== 'expired')];
};
