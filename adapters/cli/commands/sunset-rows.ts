import type { KeyRecord } from '../../../src/domain/caller.ts';
import { addDays, type Day, dayOf, daysBetween } from '../../../src/domain/day.ts';
import { formatInstant } from '../../../src/domain/instants.ts';
import type { UsageCount } from '../../../src/domain/usage.ts';
import { inactiveReason } from '../../../src/keys/key-policy.ts';

/** A key that was told when the variant form ends for it, and whether it still asks in that form. */
export interface SunsetRow {
  readonly key: string;
  readonly organization_id: string;
  readonly partner: string;
  readonly sunset: Day;
  /** Days until the form ends for it; negative when that day has passed. */
  readonly days_left: number;
  /** Requests in the variant form in the days that were looked at. */
  readonly requests: number;
  readonly last_at: string | undefined;
  readonly calling: boolean;
}

/** Which keys are shown, and what is known of them. */
export interface SunsetQuestion {
  readonly keys: readonly KeyRecord[];
  readonly counts: readonly UsageCount[];
  readonly now: number;
  /** Days ahead that are near. */
  readonly within: number;
}

/** Who has not asked for so many days has stopped: a week, since some only ask on Mondays. */
const quietAfterDays = 7;

const byUrgency = (left: SunsetRow, right: SunsetRow): number =>
  Number(right.calling) - Number(left.calling) ||
  left.days_left - right.days_left ||
  right.requests - left.requests ||
  (left.key < right.key ? -1 : 1);

/** Keys of the variant form whose sunset has passed or is near, the most urgent first: who still asks, and has least time. */
export const sunsetRows = ({ keys, counts, now, within }: SunsetQuestion): SunsetRow[] => {
  const today = dayOf(now);
  const rowOf = (key: KeyRecord, sunset: Day): SunsetRow => {
    const own = counts.filter(({ keyId, form }) => keyId === key.id && form === 'variant');
    const lastAt = own.length === 0 ? undefined : Math.max(...own.map((count) => count.lastAt));
    return {
      key: key.id,
      organization_id: key.organizationId,
      partner: key.partner,
      sunset,
      days_left: daysBetween(today, sunset),
      requests: own.reduce((sum, { requests }) => sum + requests, 0),
      last_at: formatInstant(lastAt),
      calling: lastAt !== undefined && dayOf(lastAt) > addDays(today, -quietAfterDays),
    };
  };
  return keys
    .filter((key) => key.form === 'variant' && inactiveReason(key, now) === undefined)
    .flatMap((key) => (key.sunset === undefined ? [] : [rowOf(key, key.sunset)]))
    .filter(({ days_left }) => days_left <= within)
    .sort(byUrgency);
};
