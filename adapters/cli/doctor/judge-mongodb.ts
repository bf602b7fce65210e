import { formatDistance } from '../../../src/domain/instants.ts';
import { inactiveReason } from '../../../src/keys/key-policy.ts';
import type { KeyRecords } from '../../../src/ports.ts';
import { type Finding, judgeClock, mend, ok, remark } from './finding.ts';
import type { MongoFindings } from './probe-mongodb.ts';

/** A catalogue without a change for this long is old, and keys that expire within this time are named, in milliseconds. */
const oldCatalogueMs = 7 * 86_400_000;
const soonMs = 30 * 86_400_000;

const judgeRights = ({ unreadable, unwritable }: MongoFindings): Finding => {
  if (unreadable.length > 0)
    return mend('mongodb rights', `cannot read ${unreadable.join(', ')}`, 'grant the user find');
  if (unwritable.length > 0)
    return mend('mongodb rights', `cannot write ${unwritable.join(', ')}`, 'grant the user insert and update there');
  return ok('mongodb rights', 'reads all collections, writes usage');
};

const judgeIndexes = ({ missingIndexes }: MongoFindings): Finding =>
  missingIndexes.length === 0
    ? ok('indexes', 'complete')
    : mend('indexes', `missing: ${missingIndexes.join(', ')}`, 'run "artist-gateway catalogue indexes"');

/** Judges when the catalogue last changed. */
const judgeCatalogue = ({ newestChange }: MongoFindings, now: number): Finding => {
  if (newestChange === undefined)
    return mend('catalogue', 'there is no artist', 'run "artist-gateway catalogue import", or correct MONGODB_URL');
  const found = `last changed ${formatDistance(newestChange, now)}`;
  if (now - newestChange <= oldCatalogueMs) return ok('catalogue', found);
  return remark('catalogue', found, 'check the job that imports it');
};

const judgeOwners = ({ keys, organizations }: KeyRecords): Finding => {
  const known = new Set(organizations.map(({ id }) => id));
  const lost = keys.filter(({ organizationId }) => !known.has(organizationId));
  if (lost.length === 0) return ok('organizations', 'every key has one');
  const named = lost.map(({ id, organizationId }) => `${id} (${organizationId})`).join(', ');
  return mend('organizations', `keys without one: ${named}`, 'run "artist-gateway organizations set ID --name …"');
};

const judgeExpiry = ({ keys }: KeyRecords, now: number): Finding => {
  const soon = keys.filter(
    (key) => inactiveReason(key, now) === undefined && (key.expiresAt ?? Infinity) <= now + soonMs,
  );
  if (soon.length === 0) return ok('expiring keys', 'none within 30 days');
  const named = soon.map(({ id, expiresAt = now }) => `${id} ${formatDistance(expiresAt, now)}`).join(', ');
  return remark('expiring keys', named, 'run "artist-gateway keys rotate KEY --overlap 7d"');
};

/** Judges what a look at MongoDB found, at an instant (epoch milliseconds). */
export const judgeMongo = (found: MongoFindings, now: number): Finding[] => {
  const clock = judgeClock('mongodb clock', found.clockAheadMs);
  if (found.unreadable.length > 0) return [judgeRights(found), clock];
  const { records } = found;
  const catalogue = judgeCatalogue(found, now);
  return [judgeRights(found), judgeIndexes(found), clock, catalogue, judgeOwners(records), judgeExpiry(records, now)];
};
