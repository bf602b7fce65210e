import type { QuotaWindow } from '../../../src/domain/caller.ts';
import { organizationOf, type Partner } from '../faults/partners.ts';
import type { History } from './history.ts';

/** A partner of the nemesis, and the paths it asks for in turn. */
export interface NemesisPartner extends Partner {
  readonly paths: readonly string[];
}

const list = '/api/v1/artists?limit=1';

const partner = (
  name: string,
  form: Partner['form'],
  quota: Partner['quota'],
  ...more: readonly string[]
): NemesisPartner => ({ name, form, scopes: ['artists:read'], quota, paths: [list, ...more] });

/** Quotas that are exceeded at 200 requests a second: by the minute, by the day, by the hour, with refunds, and one that is not. */
export const nemesisPartners: readonly NemesisPartner[] = [
  partner('tight', 'current', { per_minute: 10, per_day: 1_000 }),
  partner('daily', 'current', { per_minute: 60, per_day: 150 }),
  partner('crowd', 'current', { per_minute: 400, per_day: 5_000 }),
  partner('wide', 'current', { per_minute: 90_000, per_day: 900_000 }),
  partner('hourly', 'variant', { per_hour: 300 }),
  // Without the scope for spikes: 401, and the unit is refunded.
  partner('refunded', 'variant', { per_hour: 200 }, '/api/v1/spikes'),
];

/** The subject of a partner's quotas, as the forms declare it. */
export const subjectOf = (one: Partner): string =>
  one.form === 'current' ? `organization:${organizationOf(one)}` : `key:${one.name}`;

/** The windows and limits of a partner, in the order of the headers. */
export const limitsOf = ({ quota }: Partner): Partial<Record<QuotaWindow, number>> =>
  quota.per_hour === undefined ? { minute: quota.per_minute ?? 0, day: quota.per_day ?? 0 } : { hour: quota.per_hour };

export const limitsBySubject: History['limits'] = Object.fromEntries(
  nemesisPartners.map((one) => [subjectOf(one), limitsOf(one)]),
);
