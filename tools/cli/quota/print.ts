import { countOf } from '../../../src/domain/quantities.ts';
import type { QuotaReport, RefusalReport } from '../../migration/quota-report.ts';
import { formatWindows, windowNames } from '../policy.ts';
import { note } from '../terminal/messages.ts';
import {
  type Column,
  type DrawOptions,
  type Fact,
  none,
  type Output,
  printFacts,
  printListing,
} from '../terminal/table.ts';

const refusalColumns: readonly Column<RefusalReport>[] = [
  { title: 'would be refused by', show: ({ window, limit }) => `${limit} ${windowNames[window]}` },
  { title: 'requests', show: ({ requests }) => requests },
  { title: 'windows', show: ({ windows }) => windows, importance: 2 },
  { title: 'days', show: ({ days }) => days, importance: 3 },
  { title: 'first', show: ({ first_at }) => first_at ?? none, importance: 1 },
  { title: 'last', show: ({ last_at }) => last_at ?? none, importance: 4 },
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
    isCuttable: true,
    importance: 1,
  },
];

/** Prints facts and tables one below the other; a table without rows is left out. */
export const createPage = (options: DrawOptions, to: Output) => {
  let leftOut = 0;
  return {
    facts: (facts: readonly Fact[]): void => printFacts(facts, options, to),
    table<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
      if (rows.length === 0) return;
      const onLeftOut = (count: number): void => {
        leftOut += count;
      };
      printListing(rows, columns, { ...options, onLeftOut }, to);
      to.write('\n');
    },
    gap: (): void => void to.write('\n'),
    /** Says how to see what the tables left out. */
    end(): void {
      if (leftOut > 0)
        note(`Too narrow for ${countOf(leftOut, 'column')} of these tables: --wide shows all.`);
    },
  };
};

export type Page = ReturnType<typeof createPage>;

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
