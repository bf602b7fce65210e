import { countOf } from '../../../src/domain/quantities.ts';
import type { QuotaReport, RefusalReport } from '../../migration/quota-report.ts';
import { formatWindows, windowNames } from '../policy.ts';
import type { Page } from '../terminal/page.ts';
import { type Column, none } from '../terminal/table.ts';

const refusalColumns: readonly Column<RefusalReport>[] = [
  { title: 'would be refused by', show: ({ window, limit }) => `${limit} ${windowNames[window]}` },
  { title: 'requests', show: ({ requests }) => requests },
  { title: 'windows', show: ({ windows }) => windows, isWide: true },
  { title: 'days', show: ({ days }) => days },
  { title: 'first', show: ({ first_at }) => first_at ?? none, isWide: true },
  { title: 'last', show: ({ last_at }) => last_at ?? none },
  { title: 'limit needed', show: ({ enough }) => enough },
];

type Worst = RefusalReport['worst'][number] & { readonly window: string };

const worstColumns: readonly Column<Worst>[] = [
  { title: 'worst', show: ({ window }) => window },
  { title: 'from', show: ({ starts_at }) => starts_at },
  { title: 'asked', show: ({ asked }) => asked },
  { title: 'refused', show: ({ refused }) => refused },
  {
    title: 'by key',
    show: ({ keys }) => keys.map(({ key, asked }) => `${key} ${asked}`).join(', '),
    isWide: true,
  },
];

/** Prints a replay against quotas; `title` says which quotas they are. */
export const printQuota = (page: Page, title: string, quota: QuotaReport): void => {
  page.facts([
    [title, formatWindows({ windows: quota.quotas })],
    [
      'replayed',
      `${countOf(quota.asked, 'request')} of ${countOf(quota.keys.length, 'key')}, from ${quota.since} to ${quota.until}`,
    ],
    ['refused then', `${quota.refused_then} of them, by the limits at the time`],
    ['would be refused', quota.would_refuse],
  ]);
  page.gap();
  page.table(quota.asked === 0 ? [] : quota.refusals, refusalColumns);
  page.table(
    quota.refusals.flatMap(({ window, worst }) => worst.map((one) => ({ ...one, window }))),
    worstColumns,
  );
};
