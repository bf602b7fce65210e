import type { QuotaReport, RefusalReport } from '../../../src/migration/quota-report.ts';
import { formatWindows } from '../policy.ts';
import { type Column, type DrawOptions, type Fact, type Output, printFacts, printListing } from '../terminal/table.ts';

const none = '–';

const refusalColumns: readonly Column<RefusalReport>[] = [
  { title: 'would be refused by', show: ({ window, limit }) => `${limit} a ${window}` },
  { title: 'requests', show: ({ requests }) => requests },
  { title: 'windows', show: ({ windows }) => windows },
  { title: 'days', show: ({ days }) => days },
  { title: 'first', show: ({ first_at }) => first_at ?? none },
  { title: 'last', show: ({ last_at }) => last_at ?? none },
  { title: 'enough would be', show: ({ enough }) => enough },
];

type Worst = RefusalReport['worst'][number] & { readonly window: string };

const worstColumns: readonly Column<Worst>[] = [
  { title: 'worst', show: ({ window }) => window },
  { title: 'from', show: ({ starts_at }) => starts_at },
  { title: 'asked', show: ({ asked }) => asked },
  { title: 'refused', show: ({ refused }) => refused },
];

/** Prints facts and tables one below the other; a table without rows is left out. */
export const createPage = (options: DrawOptions, to: Output) => ({
  facts: (facts: readonly Fact[]): void => printFacts(facts, options, to),
  table<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    if (rows.length > 0) printListing(rows, columns, options, to);
    if (rows.length > 0) to.write('\n');
  },
  gap: (): void => void to.write('\n'),
});

export type Page = ReturnType<typeof createPage>;

/** Prints a replay against quotas; `title` says which quotas they are. */
export const printQuota = (page: Page, title: string, quota: QuotaReport): void => {
  page.facts([
    [title, formatWindows({ windows: quota.quotas })],
    ['replayed', `${quota.asked} requests of ${quota.keys.length} keys, from ${quota.since} to ${quota.until}`],
    ['refused then', `${quota.refused_then} of them, by the quotas they had`],
    ['would be refused', quota.would_refuse],
  ]);
  page.gap();
  page.table(quota.asked === 0 ? [] : quota.refusals, refusalColumns);
  page.table(
    quota.refusals.flatMap(({ window, worst }) => worst.map((one) => ({ ...one, window }))),
    worstColumns,
  );
};
