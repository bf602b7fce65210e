import { plainText } from '../../../adapters/text/plain-text.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import type { MoveAssessment } from '../../migration/assess.ts';
import { requestedMove } from '../../migration/evidence.ts';
import type { KeyReport } from '../../migration/key-report.ts';
import { printQuota } from '../quota/print.ts';
import { createPage, type Page } from '../terminal/page.ts';
import { type Column, type DrawOptions, type Fact, none, type Output } from '../terminal/table.ts';

const { to: form } = requestedMove;

const callColumns: readonly Column<KeyReport['calls'][number]>[] = [
  { title: 'call', show: ({ call }) => call },
  { title: 'status', show: ({ status }) => status },
  { title: 'requests', show: ({ requests }) => requests },
  { title: 'last', show: ({ last_day }) => last_day, isWide: true },
  { title: 'send instead', show: ({ instead }) => instead ?? 'the same call' },
];

const fieldColumns: readonly Column<KeyReport['fields'][number]>[] = [
  { title: 'field that moves', show: ({ field }) => field },
  { title: 'of', show: ({ of }) => of, isWide: true },
  { title: 'instead', show: ({ instead }) => instead ?? none },
  { title: 'to do', show: ({ to_do }) => to_do },
  { title: 'why', show: ({ why }) => why, isWide: true },
];

const errorColumns: readonly Column<KeyReport['errors'][number]>[] = [
  { title: 'error received', show: ({ status }) => status },
  { title: 'requests', show: ({ requests }) => requests },
  { title: 'last', show: ({ last_day }) => last_day, isWide: true },
  {
    title: `in the ${form} form`,
    show: ({ instead }) => instead.join(' or ') || none,
  },
];

const formatSeen = ({ requests, first_day, last_at }: KeyReport): string =>
  requests === 0
    ? 'nothing'
    : `${countOf(requests, 'request')} since ${first_day}, the last at ${last_at}`;

const formatTried = ({ tried: { requests, refused } }: KeyReport): string =>
  requests === 0 ? 'nothing' : `${countOf(requests, 'request')}, ${refused} of them refused`;

const printKey = (page: Page, report: MoveAssessment['keys'][number], days: number): void => {
  page.facts([
    ['key', report.key],
    ['partner', report.partner],
    ['form', report.form],
    ['state', report.state],
    [`seen in ${days} days`, formatSeen(report)],
    ['calls a day', report.calls_a_day],
    [`tried in the ${form} form`, formatTried(report)],
    ...report.warnings.map((warning): Fact => ['warning', warning]),
  ]);
  page.gap();
  page.table(report.calls, callColumns);
  page.table(report.fields, fieldColumns);
  page.table(report.errors, errorColumns);
};

/**
 * Prints the changes for each key, the replay against the quotas, and the verdict in the last line.
 */
export const printReport = (
  move: MoveAssessment,
  options: DrawOptions = {},
  to: Output = process.stdout,
): void => {
  if (move.keys.length === 0) {
    to.write(`${move.organization_id} has no key of the ${requestedMove.from} form.\n`);
    return;
  }
  const page = createPage(options, to);
  page.facts([
    ['organization', `${move.organization_id} (${move.organization})`],
    ['shortlist', countOf(move.artists, 'artist')],
  ]);
  for (const report of move.keys) printKey(page, report, move.days);
  printQuota(page, 'quota after the move', move.quota);
  to.write(`${plainText(move.line)}\n`);
  page.end();
};
