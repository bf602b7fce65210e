import { plainText } from '../../../adapters/text/plain-text.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { requestedMove } from '../../migration/evidence.ts';
import type { KeyReport } from '../../migration/key-report.ts';
import type { MigrationReadiness } from '../../migration/readiness.ts';
import type { TrialReport } from '../../migration/trials.ts';
import { createPage, type Page, printQuota } from '../quota/print.ts';
import { columnsOf, wrapWords } from '../terminal/layout.ts';
import type { Column, DrawOptions, Fact, Output } from '../terminal/table.ts';
import { changeTables } from './change-tables.ts';

const formatSeen = ({ requests, first_day, last_at }: KeyReport): string =>
  requests === 0
    ? 'nothing'
    : `${countOf(requests, 'request')} since ${first_day}, the last at ${last_at}`;

const formatTried = ({ tried: { requests, refused } }: KeyReport): string =>
  requests === 0 ? 'nothing' : `${countOf(requests, 'request')}, ${refused} of them refused`;

const printKey = (
  page: Page,
  report: MigrationReadiness['keys'][number],
  { form, days }: MigrationReadiness,
): void => {
  page.facts([
    ['key', report.key],
    ['partner', report.partner],
    ['form', report.form],
    ['state', report.state],
    [`seen in ${days} days`, formatSeen(report)],
    ['calls a day', report.calls_a_day],
    [`tried in the ${form} form`, formatTried(report)],
    ...report.remarks.map((remark): Fact => ['remark', remark]),
  ]);
  page.gap();
  const columns = changeTables(form);
  page.table(report.paths, columns.paths);
  page.table(report.calls, columns.calls);
  page.table(report.parameters, columns.parameters);
  page.table(report.behaviours, columns.behaviours);
  page.table(report.members, columns.members);
  if (report.members_not_read.length > 0)
    page.facts([['moved, not read', countOf(report.members_not_read.length, 'member')]]);
  page.table(report.errors, columns.errors);
  page.table(
    report.advice.map((text) => ({ text })),
    [{ title: 'next', show: ({ text }) => text, isWrapped: true }],
  );
};

const answersOf = ({ answers, until = '', counted_since: since }: TrialReport): string => {
  const asked =
    answers.length === 0
      ? 'nothing was asked'
      : answers.map(({ form, status, requests }) => `${form} ${status}: ${requests}`).join(', ');
  if (since === undefined) return asked;
  const first = `${since}, the first day of this report`;
  return until < since ? `before ${first}` : `${asked} (since ${first})`;
};

const trialColumns: readonly Column<TrialReport>[] = [
  { title: 'trial of', show: ({ form }) => form },
  { title: 'from', show: ({ from }) => from },
  {
    title: 'until',
    show: ({ until, ended_early }) => `${until}${ended_early ? ' (ended early)' : ''}`,
  },
  { title: 'answered on these days', show: answersOf, isWrapped: true },
  {
    title: 'parameters of 400',
    show: ({ refused }) =>
      refused.map(({ parameter, requests }) => `${parameter} (${requests})`).join(', '),
    importance: 1,
  },
];

/**
 * Prints the changes for each key, the replay against the quotas, and the verdict in the last line.
 */
export const printReadiness = (
  readiness: MigrationReadiness & { readonly trials?: readonly TrialReport[] },
  options: DrawOptions = {},
  to: Output = process.stdout,
): void => {
  if (readiness.keys.length === 0) {
    to.write(
      `${readiness.organization_id} has no key of the ${requestedMove.from} form: nothing has to move.\n`,
    );
    return;
  }
  const page = createPage(options, to);
  page.facts([
    ['organization', `${readiness.organization_id} (${readiness.organization})`],
    ['shortlist', countOf(readiness.artists, 'artist')],
  ]);
  for (const report of readiness.keys) printKey(page, report, readiness);
  page.table(readiness.trials ?? [], trialColumns);
  printQuota(page, 'quota after the move', readiness.quota);
  to.write(`${wrapWords(plainText(readiness.line), columnsOf(to))}\n`);
  page.end();
};
