import { setTimeout as wait } from 'node:timers/promises';
import { groupBy } from '../../../src/domain/group-by.ts';
import { formatDistance } from '../../../src/domain/instants.ts';
import { createAllowances } from '../../../src/quota/allowances.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import { forms } from '../../forms/forms.ts';
import { withQuotas } from '../context.ts';
import { createKeyRegistry } from '../resolve-subject.ts';
import { type Finding, mend, ok } from './finding.ts';
import type { MongoFindings } from './probe-mongodb.ts';

/** Usage that was not written for this long has a cause, in milliseconds. A gateway writes it every 15 seconds. */
const oldUsageMs = 3_600_000;

/** The time to write usage, in milliseconds. */
const writeMs = 1_000;

/** The share of counts that may be gone without a remark: a fail-over of Redis loses those of a second or two. */
const maxLostShare = 0.01;

const minuteMs = 60_000;

/** The requests of one window so far, as Redis and as usage count them, at most its limit. */
interface WindowCounts {
  readonly organizationId: string;
  readonly inRedis: number;
  /** In usage. Clocks that differ let the first minute, and the one before, be of either window. */
  readonly atLeast: number;
  readonly atMost: number;
}

/** Counts the hours and days of all keys that have an organization. Minutes are too short to compare. */
const countWindows = ({ records, minutes }: MongoFindings): Promise<readonly WindowCounts[]> => {
  const { ownerOf } = createKeyRegistry(records);
  const allowances = createAllowances(forms);
  const minutesOf = groupBy(minutes, ({ keyId }) => keyId);
  const counted = records.keys.flatMap((key) => {
    const owner = ownerOf(key);
    const own = owner === undefined ? [] : allowances.of(key, owner);
    return own.filter(({ window }) => window !== 'minute').map((allowance) => ({ allowance, key }));
  });
  const groups = groupBy(counted, ({ allowance: { subject, window } }) => `${subject} ${window}`);
  return withQuotas(({ read }) =>
    Promise.all(
      [...groups.values()].map(async (group) => {
        const [{ allowance, key }] = group;
        const { used, endsAt } = await read(allowance);
        const startsAt = endsAt - windowLengthMs(allowance.window);
        const own = group.flatMap(({ key: { id } }) => minutesOf.get(id) ?? []);
        const grantedSince = (instant: number): number => {
          const later = own.filter(({ minute }) => minute >= instant);
          return Math.min(
            later.reduce((sum, { requests, refused }) => sum + requests - refused, 0),
            allowance.limit,
          );
        };
        const [atLeast, atMost] = [grantedSince(startsAt + minuteMs), grantedSince(startsAt - minuteMs)];
        return { organizationId: key.organizationId, inRedis: used, atLeast, atMost };
      }),
    ),
  );
};

const sumOf = (windows: readonly WindowCounts[], numberOf: (window: WindowCounts) => number): number =>
  windows.reduce((sum, window) => sum + Math.max(0, numberOf(window)), 0);

/** Judges whether Redis still has the counts that usage says were granted. */
const judgeLost = (windows: readonly WindowCounts[], { recounted }: MongoFindings): Finding => {
  const comparable = windows.filter(({ organizationId }) => !recounted.includes(organizationId));
  const counted = sumOf(comparable, ({ atLeast }) => atLeast);
  const lost = sumOf(comparable, ({ inRedis, atLeast }) => atLeast - inRedis);
  if (lost <= counted * maxLostShare) return ok('quota counts', 'as many as in usage');
  const found = `${lost} of ${counted} requests of the current windows are gone`;
  return mend('quota counts', found, 'find what emptied Redis: a restart without appendonly, eviction, another server');
};

/** Judges whether usage is still written: what Redis counted must be in it. */
const judgeUsage = (windows: readonly WindowCounts[], { minutes, records }: MongoFindings, now: number): Finding => {
  const newest = minutes.reduce((latest, { minute }) => Math.max(latest, minute), Number.NEGATIVE_INFINITY);
  const found = minutes.length === 0 ? 'no request within a day' : `newest request ${formatDistance(newest, now)}`;
  const missing = sumOf(windows, ({ inRedis, atMost }) => inRedis - atMost);
  const firstKey = Math.min(...records.keys.map(({ createdAt }) => createdAt));
  if (missing === 0 || now - Math.max(newest, firstKey) <= oldUsageMs) return ok('usage', found);
  const advice = 'check the rights and the disk of MongoDB. Do not restart the gateway: it holds the counts';
  return mend('usage', `${found}, but Redis counted ${missing} that usage lacks`, advice);
};

/**
 * Judges the counts of the current windows. Looks again after a flush of usage (milliseconds) before it misses any: Redis has
 * the newest requests first. Rejects when Redis does not answer.
 */
export const judgeCounts = async (
  mongo: MongoFindings,
  lookAgain: () => Promise<MongoFindings>,
  { now, flushMs }: { readonly now: () => number; readonly flushMs: number },
): Promise<Finding[]> => {
  const windows = await countWindows(mongo);
  const [lost, usage] = [judgeLost(windows, mongo), judgeUsage(windows, mongo, now())];
  if (usage.state === 'ok') return [lost, usage];
  await wait(flushMs + writeMs);
  const later = await lookAgain();
  return [lost, judgeUsage(await countWindows(later), later, now())];
};
