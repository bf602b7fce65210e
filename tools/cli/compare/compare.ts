import type { ComparisonCase } from '../../compare/cases/cases.ts';
import { renderPage } from '../../compare/reports/html.ts';
import { formatJsonReport } from '../../compare/reports/json.ts';
import { formatJunit } from '../../compare/reports/junit.ts';
import { formatReportTexts } from '../../compare/reports/terminal.ts';
import { type CaseResult, countExpected } from '../../compare/results.ts';
import { createReport, type RunReport } from '../../compare/verdict.ts';
import type { DefineCommand } from '../command.ts';
import { checkWritable, removeReport, writeReport } from '../report-file.ts';
import { note, noteLines } from '../terminal/messages.ts';
import { type Column, printJson, printListing } from '../terminal/table.ts';
import { compareWithBaseline, readBaseline, saveBaseline } from './baseline.ts';
import { type ComparisonRun, checkFormOptions } from './one-form.ts';
import { addCompareOptions, type CompareOptions } from './options.ts';
import { loadCases, runComparison } from './run.ts';

const formatItems = ({ items }: CaseResult): string =>
  items.left === items.right ? String(items.left) : `${items.left} / ${items.right}`;

const caseColumns: readonly Column<CaseResult>[] = [
  { title: 'case', show: ({ name }) => name },
  { title: 'items', show: formatItems },
  { title: 'same', show: ({ counts }) => counts.same },
  { title: 'renamed', show: ({ counts }) => counts.renamed },
  { title: 'expected', show: countExpected },
  { title: 'unexpected', show: ({ unexpected }) => unexpected.length },
];

const printReport = (report: RunReport): void => {
  const { before, after } = formatReportTexts(report, process.stderr);
  noteLines(before);
  const { cases } = report.result;
  const different = cases.filter(({ unexpected }) => unexpected.length > 0);
  printListing(different.length > 0 ? different : cases, caseColumns);
  noteLines(after);
};

const listColumns: readonly Column<ComparisonCase>[] = [
  { title: 'case', show: ({ name }) => name },
  { title: 'items', show: ({ items }) => items },
  { title: 'key', show: ({ key }) => key },
  {
    title: 'current form',
    show: ({ current }) => `${current.method} ${current.ask}`,
  },
  {
    title: 'variant form',
    show: ({ variant }) => `${variant.method} ${variant.ask}`,
  },
  { title: 'asks', show: ({ asks }) => asks },
];

/** Why replies are missing: the run stopped, or the gateway failed. */
const recordingGap = ({ result, recording }: ComparisonRun): string | undefined => {
  const failed = recording?.exchanges.find(({ reply }) => reply.status >= 500);
  const { method, path } = failed?.request ?? {};
  return result.stopped ?? (failed && `${method} ${path} was answered ${failed.reply.status}.`);
};

/**
 * Writes the replies of a run, unless some are missing: a comparison would skip their cases, and
 * the previous file may be the only recording of an earlier release.
 */
const saveRecording = async (ran: ComparisonRun, path: string): Promise<void> => {
  const gap = recordingGap(ran);
  if (gap !== undefined) {
    note(`Incomplete recording, not written to ${path}. ${gap}`);
    process.exitCode = 1;
    return;
  }
  await writeReport(path, JSON.stringify(ran.recording));
  const { length } = ran.result.cases;
  note(`Recorded ${length} cases, compared nothing. To compare with them: --against ${path}`);
};

const fileReports = [
  { option: 'html', title: 'The answers side by side', format: renderPage },
  { option: 'junit', title: 'Report', format: formatJunit },
] as const;

const run = async (options: CompareOptions): Promise<void> => {
  const cases = await loadCases(options);
  if (options.dryRun) return printListing(cases, listColumns, { json: options.json });
  checkFormOptions(options);
  const baseline = await readBaseline(options);
  if (options.record !== undefined) {
    await checkWritable(options.record);
    return saveRecording(await runComparison(cases, options), options.record);
  }
  for (const path of [options.html, options.junit])
    if (path !== undefined) await removeReport(path);
  const { result } = await runComparison(cases, options);
  const { compared, entries } = compareWithBaseline(result, baseline);
  const report = createReport(result, compared);
  const { verdict } = report;
  if (options.json) printJson(formatJsonReport(report));
  else if (verdict.kind !== 'nothing') printReport(report);
  for (const { option, title, format } of fileReports) {
    const path = options[option];
    if (path === undefined) continue;
    await writeReport(path, format(report));
    note(`${title}: ${path}`);
  }
  if (verdict.kind === 'nothing') note(verdict.text);
  if (entries !== undefined && options.baseline !== undefined)
    await saveBaseline(entries, options.baseline, verdict);
  if (verdict.exitCode !== 0) process.exitCode = verdict.exitCode; // lost output may have set one
};

export const compareCommand: DefineCommand = (command) =>
  addCompareOptions(command)
    .description('send both forms the same requests and check that their answers agree')
    .action(run);
