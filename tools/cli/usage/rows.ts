import type { FormName, KeyRecord } from '../../../src/domain/caller.ts';
import { type Group, groupBy } from '../../../src/domain/groups.ts';
import { formatInstant, sum } from '../../../src/domain/quantities.ts';
import type { UsageCount } from '../../../src/domain/usage.ts';
import { listedStateOf, unreadablePolicies } from '../policy.ts';
import type { KeyRegistry } from '../resolve-subject.ts';

interface KnownKeys {
  readonly keys: readonly KeyRecord[];
  readonly registry: KeyRegistry;
  /** Epoch milliseconds. */
  readonly now: number;
}

const requestsWith = (
  counts: readonly UsageCount[],
  matches: (status: number) => boolean,
): number => sum(counts.filter(({ status }) => matches(status)).map(({ requests }) => requests));

const lastAt = (counts: readonly UsageCount[]): number =>
  Math.max(...counts.map(({ lastAt }) => lastAt));

const groupByLatest = (
  counts: readonly UsageCount[],
  keyOf: (count: UsageCount) => string,
): Group<UsageCount>[] =>
  [...groupBy(counts, keyOf).values()].sort((one, other) => lastAt(other) - lastAt(one));

const usesOf = (counts: readonly UsageCount[]): UsageCount['uses'] => {
  const sums = new Map<string, number>();
  for (const { uses } of counts) {
    for (const [use, times] of Object.entries(uses)) sums.set(use, (sums.get(use) ?? 0) + times);
  }
  return Object.fromEntries([...sums].sort(([, one], [, other]) => other - one));
};

const isQuotaRefusal = (status: number): boolean => status === 429;

type RowId = Pick<UsageCount, 'keyId' | 'organizationId'> &
  Partial<Pick<UsageCount, 'form' | 'route'>>;

const toRow = (
  { keyId, organizationId, form, route }: RowId,
  counts: readonly UsageCount[],
  { keys, registry, now }: KnownKeys,
) => {
  const key = keys.find(({ id }) => id === keyId); // not found when it was removed
  return {
    organization_id: organizationId,
    key_id: keyId,
    partner: key?.partner,
    key_form: key?.form,
    state:
      key === undefined
        ? unreadablePolicies(registry).find(({ id }) => id === keyId)?.state
        : listedStateOf(key, registry, now),
    form,
    route,
    requests: requestsWith(counts, () => true),
    refused: requestsWith(counts, isQuotaRefusal),
    client_errors: requestsWith(
      counts,
      (status) => status >= 400 && status < 500 && !isQuotaRefusal(status),
    ),
    server_errors: requestsWith(counts, (status) => status >= 500),
    uses: usesOf(counts),
    // a gateway whose clock is ahead has counted it
    last_call_at: counts.length === 0 ? undefined : formatInstant(Math.min(lastAt(counts), now)),
  };
};

export type UsageRow = ReturnType<typeof toRow>;

/**
 * One row for each form and route that a key used. Keys, and the rows of a key, are in order of the
 * latest call. Keys without requests follow, unless they are revoked or expired. With a form: only
 * requests answered in it, and keys pinned to it.
 */
export const toUsageRows = (
  counts: readonly UsageCount[],
  known: KnownKeys,
  form: FormName | undefined,
): UsageRow[] => {
  const hasForm = (of: { readonly form: FormName }): boolean =>
    form === undefined || of.form === form;
  const selected = counts.filter(hasForm);
  const active = groupByLatest(selected, ({ keyId }) => keyId)
    .flatMap((ofKey) =>
      groupByLatest(ofKey, (count) =>
        JSON.stringify([count.organizationId, count.form, count.route]),
      ),
    )
    .map((group) => toRow(group[0], group, known));
  const activeIds = new Set(selected.map(({ keyId }) => keyId));
  const silent = known.keys
    .filter((key) => hasForm(key) && !activeIds.has(key.id))
    .map(({ id, organizationId }) => toRow({ keyId: id, organizationId }, [], known));
  return [...active, ...silent.filter(({ state }) => state !== 'revoked' && state !== 'expired')];
};
