import type { QuotaWindow } from '../../../src/domain/caller.ts';
import { organizationOf, type Partner } from '../faults/partners.ts';
import type { History } from './history.ts';

/** A partner of the nemesis, and the paths it asks for in turn. */
export interface NemesisPartner extends Partner {
  readonly paths: readonly string[];
}

const list = '/api/v1/artists?limit=1';

/** Quotas that are exceeded at 200 requests a second: by the minute, by the day, by the hour, with refunds, and one that is not. */
export const nemesisPartners: readonly NemesisPartner[] = [
  {
    name: 'tight',
    form: 'current',
    scopes: ['artists:read'],
    quota: { per_minute: 10, per_day: 1_000 },
    paths: [list],
  },
  { name: 'daily', form: 'current', scopes: ['artists:read'], quota: { per_minute: 60, per_day: 150 }, paths: [list] },
  {
    name: 'crowd',
    form: 'current',
    scopes: ['artists:read'],
    quota: { per_minute: 400, per_day: 5_000 },
    paths: [list],
  },
  {
    name: 'wide',
    form: 'current',
    scopes: ['artists:read'],
    quota: { per_minute: 90_000, per_day: 900_000 },
    paths: [list],
  },
  { name: 'hourly', form: 'variant', scopes: ['artists:read'], quota: { per_hour: 300 }, paths: [list] },
  // Without the scope for spikes: 401, and the unit is refunded.
  {
    name: 'refunded',
    form: 'variant',
    scopes: ['artists:read'],
    quota: { per_hour: 200 },
    paths: [list, '/api/v1/spikes'],
  },
];

/** The subject of a partner's quotas, as the forms declare it. */
export const subjectOf = (partner: Partner): string =>
  partner.form === 'current' ? `organization:${organizationOf(partner)}` : `key:${partner.name}`;

/** The windows and limits of a partner, in the order of the headers. */
export const limitsOf = ({ quota }: Partner): Partial<Record<QuotaWindow, number>> =>
  quota.per_hour === undefined ? { minute: quota.per_minute ?? 0, day: quota.per_day ?? 0 } : { hour: quota.per_hour };

export const limitsBySubject: History['limits'] = Object.fromEntries(
  nemesisPartners.map((partner) => [subjectOf(partner), limitsOf(partner)]),
);
