import type { KeyReport } from '../../../src/migration/key-report.ts';
import type { MigrationReadiness } from '../../../src/migration/readiness.ts';
import { plainText } from '../../text/plain-text.ts';
import { createPage, type Page, printQuota } from '../quota/print.ts';
import { columnsOf, wrapWords } from '../terminal/layout.ts';
import type { Column, DrawOptions, Fact, Output } from '../terminal/table.ts';

const none = '–';

const sections = (form: string) => ({
  paths: [
    { title: 'path', show: ({ path }) => path ?? 'nothing there' },
    { title: `in the ${form} form`, show: ({ instead }) => instead ?? none, isCuttable: true },
    { title: 'requests', show: ({ requests }) => requests },
    { title: 'last', show: ({ last_day }) => last_day },
  ] satisfies Column<KeyReport['paths'][number]>[],
  parameters: [
    { title: 'parameter to change', show: ({ parameter }) => parameter },
    { title: 'instead', show: ({ instead }) => instead ?? none, isCuttable: true },
    { title: 'requests', show: ({ requests }) => requests },
    { title: 'last', show: ({ last_day }) => last_day },
    { title: 'why', show: ({ remark }) => remark, isCuttable: true },
  ] satisfies Column<KeyReport['parameters'][number]>[],
  behaviours: [
    { title: 'relied on', show: ({ behaviour }) => behaviour, isCuttable: true },
    { title: 'seen by', show: ({ seen_by }) => seen_by.join(', '), isCuttable: true },
    { title: 'requests', show: ({ requests }) => requests },
    { title: 'last', show: ({ last_day }) => last_day },
    { title: `in the ${form} form`, show: ({ current }) => current, isCuttable: true },
  ] satisfies Column<KeyReport['behaviours'][number]>[],
  members: [
    { title: 'member to read otherwise', show: ({ member }) => member },
    { title: 'of', show: ({ of }) => of },
    { title: 'instead', show: ({ instead }) => instead ?? none, isCuttable: true },
    { title: 'to do', show: ({ to_do }) => to_do, isCuttable: true },
    { title: 'why', show: ({ remark }) => remark, isCuttable: true },
  ] satisfies Column<KeyReport['members'][number]>[],
  errors: [
    { title: 'error met', show: ({ status }) => status },
    { title: 'requests', show: ({ requests }) => requests },
    { title: 'last', show: ({ last_day }) => last_day },
    { title: `in the ${form} form`, show: ({ instead }) => instead.join(' or ') || none, isCuttable: true },
  ] satisfies Column<KeyReport['errors'][number]>[],
});

const formatSeen = ({ requests, first_day, last_at }: KeyReport): string =>
  requests === 0 ? 'nothing' : `${requests} requests since ${first_day}, the last at ${last_at}`;

const formatTried = ({ tried: { requests, refused } }: KeyReport): string =>
  requests === 0 ? 'nothing' : `${requests} requests, ${refused} of them refused`;

const formatCompared = ({ compared: { answers, differed, since } }: KeyReport): string =>
  answers === 0 ? 'nothing' : `${answers} answers, ${differed} differed, since ${since}`;

const printKey = (page: Page, report: MigrationReadiness['keys'][number], { form, days }: MigrationReadiness): void => {
  page.facts([
    ['key', report.key],
    ['partner', report.partner],
    ['form', report.form],
    ['state', report.state],
    [`seen in ${days} days`, formatSeen(report)],
    [`tried in the ${form} form`, formatTried(report)],
    ['compared in production', formatCompared(report)],
    ...report.remarks.map((remark): Fact => ['remark', remark]),
  ]);
  page.gap();
  const columns = sections(form);
  page.table(report.paths, columns.paths);
  page.table(report.parameters, columns.parameters);
  page.table(report.behaviours, columns.behaviours);
  page.table(report.members, columns.members);
  page.table(report.errors, columns.errors);
  page.table(
    report.advice.map((text) => ({ text })),
    [{ title: 'next', show: ({ text }) => text }],
  );
};

/** Prints the changes for each key, the replay against the quotas, and the verdict in the last line. */
export const printReadiness = (
  readiness: MigrationReadiness,
  options: DrawOptions = {},
  to: Output = process.stdout,
): void => {
  const page = createPage(options, to);
  page.facts([
    ['organization', `${readiness.organization_id} (${readiness.organization})`],
    ['shortlist', `${readiness.artists} artists`],
  ]);
  for (const report of readiness.keys) printKey(page, report, readiness);
  printQuota(page, 'quota after the move', readiness.quota);
  to.write(`${wrapWords(plainText(readiness.line), columnsOf(to))}\n`);
};
