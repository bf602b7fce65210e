import type { KeyRecord } from '../../../src/domain/caller.ts';
import { dayOf } from '../../../src/domain/day.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import { formatDistance } from '../../../src/domain/quantities.ts';
import { dayMs } from '../../../src/domain/time.ts';
import { expiresSoon } from '../../../src/keys/key-policy.ts';
import { keyAt } from '../../../src/keys/pinning.ts';
import type { KeyRecords } from '../../../src/ports.ts';
import { allowances, listedStateOf, unreadablePolicies } from '../policy.ts';
import { createKeyRegistry, type KeyRegistry } from '../resolve-subject.ts';
import { type Finding, fail, ok, warning } from './finding.ts';

const rotation = 'run "artist-gateway keys rotate KEY --overlap 7d"';

const judgeOwners = ({ keys, organizations, unreadable }: KeyRegistry): Finding => {
  const creation = 'run "artist-gateway organizations set ID --name …"';
  if (organizations.length + unreadable.length === 0)
    return fail('organizations', 'no organizations', `${creation}, or correct MONGODB_URL`);
  const known = new Set([
    ...organizations.map(({ id }) => id),
    ...unreadable.map(({ organizationId }) => organizationId),
  ]);
  const lost = keys.filter(
    ({ organizationId, revokedAt }) => revokedAt === undefined && !known.has(organizationId),
  );
  if (lost.length === 0) return ok('organizations', 'every key has an organization');
  const named = lost.map(({ id, organizationId }) => `${id} (${organizationId})`).join(', ');
  return fail('organizations', `keys without an organization: ${named}`, creation);
};

const judgeAccepted = (
  { keys, unreadable }: KeyRegistry,
  states: readonly string[],
  accepted: readonly KeyRecord[],
  now: number,
): Finding => {
  const issue = 'run "artist-gateway keys issue --organization ID …"';
  const broken = unreadable.filter(({ isEnded }) => isEnded !== true);
  if (keys.length + unreadable.length === 0)
    return fail('keys', 'no keys', `${issue}, or correct MONGODB_URL`);
  if (keys.length === 0 && broken.length > 0)
    return fail(
      'keys',
      `none of ${unreadable.length} can be read`,
      'correct the documents named in the log',
    );
  if (accepted.length === 0) {
    const counts = [...groupBy(states, (state) => state)]
      .map(([state, all]) => `${all.length} ${state}`)
      .join(', ');
    return fail(
      'keys',
      `none of ${states.length} is accepted: ${counts}`,
      `${issue}, or "organizations resume ID"`,
    );
  }
  if (accepted.every(({ expiresAt = Infinity }) => expiresAt <= now + dayMs))
    return fail(
      'keys',
      'every accepted key expires within a day',
      accepted.every(({ replacedBy }) => replacedBy !== undefined) ? issue : rotation,
    );
  if (broken.length > 0) {
    const named = broken.map(({ id = 'one without an id' }) => id).join(', ');
    return warning(
      'keys',
      `cannot be read: ${named}`,
      'correct the documents that "keys list" shows as unreadable, or revoke the keys',
    );
  }
  return ok('keys', `${accepted.length} of ${keys.length} accepted`);
};

const judgeExpiry = ({ keys }: KeyRecords, now: number): Finding => {
  const soon = keys.filter((key) => expiresSoon(key, now));
  if (soon.length === 0) return ok('expiring keys', 'none within 30 days');
  const named = soon
    .map(({ id, expiresAt = now }) => `${id} ${formatDistance(expiresAt, now)}`)
    .join(', ');
  return warning('expiring keys', named, rotation);
};

const judgeSunsets = (near: readonly KeyRecord[], now: number): Finding => {
  const check = 'keys near sunset';
  if (near.length === 0) return ok(check, 'none still in use');
  const named = near.map(
    ({ id, sunset = dayOf(now) }) => `${id} ${formatDistance(Date.parse(sunset), now)}`,
  );
  return warning(
    check,
    named.join(', '),
    'run "artist-gateway migration status", and write to their partners',
  );
};

/** Judges quotas of 0, which refuse every request, of keys as gateways serve them. */
const judgeQuotas = (
  accepted: readonly KeyRecord[],
  isRefused: (key: KeyRecord) => boolean,
): Finding => {
  const advice = 'raise it with "artist-gateway organizations set" or "keys set"';
  const refused = accepted.filter(isRefused);
  if (refused.length === 0) return ok('quotas', 'none is 0');
  const byForm = [...groupBy(accepted, ({ form }) => form)];
  const shut = byForm.filter(([, keys]) => keys.every(isRefused)).map(([form]) => form);
  if (shut.length > 0)
    return fail('quotas', `0 for every key of the ${shut.join(' and ')} form`, advice);
  return warning('quotas', `0 for ${refused.map(({ id }) => id).join(', ')}`, advice);
};

/**
 * Judges who may ask at an instant (epoch milliseconds); `nearSunset` are the keys that still call
 * near or after their sunset.
 */
export const judgeKeys = (
  records: KeyRecords,
  nearSunset: readonly KeyRecord[],
  now: number,
): Finding[] => {
  const registry = createKeyRegistry(records);
  const { ownerOf } = registry;
  const stateIn = (key: KeyRecord) => listedStateOf(key, registry, now);
  const accepted = records.keys.filter((key) => stateIn(key) === 'active');
  const isRefused = (key: KeyRecord): boolean => {
    const owner = ownerOf(key);
    return owner !== undefined && allowances.of(key, owner).some(({ limit }) => limit === 0);
  };
  const states = [
    ...records.keys.map(stateIn),
    ...unreadablePolicies(registry).map(({ state }) => state),
  ];
  return [
    judgeAccepted(registry, states, accepted, now),
    judgeOwners(registry),
    judgeExpiry(records, now),
    judgeSunsets(nearSunset, now),
    judgeQuotas(
      accepted.map((key) => keyAt(key, now)),
      isRefused,
    ),
  ];
};
