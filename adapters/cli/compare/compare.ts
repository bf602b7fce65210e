import type { ComparisonCase } from '../../compare/cases/cases.ts';
import { renderPage } from '../../compare/reports/html.ts';
import { formatJsonReport } from '../../compare/reports/json.ts';
import { formatJunit } from '../../compare/reports/junit.ts';
import { formatReportTexts } from '../../compare/reports/terminal.ts';
import { type CaseResult, countExpected, type RunResult } from '../../compare/results.ts';
import { createReport, type RunReport } from '../../compare/verdict.ts';
import type { OwnFile } from '../../stores/state/own-file.ts';
import type { DefineCommand } from '../command.ts';
import { hasColours } from '../terminal/layout.ts';
import { note, noteLines } from '../terminal/messages.ts';
import { type Column, printJson, printListing } from '../terminal/table.ts';
import { compareWithBaseline, readBaseline } from './baseline.ts';
import { checkFormOptions, isOnlyRecording } from './one-form.ts';
import { addCompareOptions, type CompareOptions } from './options.ts';
import { beginReport } from './report-file.ts';
import { loadCases, runComparison } from './run.ts';

const formatItems = ({ items }: CaseResult): string =>
  items.left === items.right ? String(items.left) : `${items.left} / ${items.right}`;

const caseColumns: readonly Column<CaseResult>[] = [
  { title: 'case', show: ({ name }) => name, isCuttable: true },
  { title: 'items', show: formatItems },
  { title: 'same', show: ({ counts }) => counts.same },
  { title: 'renamed', show: ({ counts }) => counts.renamed },
  { title: 'expected', show: countExpected },
  { title: 'unexpected', show: ({ unexpected }) => unexpected.length },
];

/** Prints the table of cases to standard output, and the rest to standard error. */
const printReport = (report: RunReport, { show, onlyUnexpected }: CompareOptions): void => {
  const { before, after } = formatReportTexts(report, {
    colours: hasColours(),
    show,
    onlyUnexpected: onlyUnexpected === true,
  });
  noteLines(before);
  const { cases } = report.result;
  printListing(onlyUnexpected ? cases.filter(({ unexpected }) => unexpected.length > 0) : cases, caseColumns, {
    empty: 'No case has an unexpected difference.',
  });
  noteLines(after);
};

/** A file that a run writes. */
interface FileReport {
  readonly path: string;
  readonly file: OwnFile;
  readonly format: (report: RunReport) => string;
}

const beginReports = async ({ html, junit }: CompareOptions, begun: OwnFile[]): Promise<FileReport[]> => {
  const wanted = [
    { path: html, format: renderPage },
    { path: junit, format: formatJunit },
  ];
  const reports: FileReport[] = [];
  for (const { path, format } of wanted) {
    if (path === undefined) continue;
    const file = await beginReport(path);
    begun.push(file);
    reports.push({ path, format, file });
  }
  return reports;
};

const listColumns: readonly Column<ComparisonCase>[] = [
  { title: 'case', show: ({ name }) => name },
  { title: 'items', show: ({ items }) => items },
  { title: 'key', show: ({ key }) => key },
  { title: 'current form', show: ({ current }) => `${current.method} ${current.ask}`, isCuttable: true },
  { title: 'variant form', show: ({ variant }) => `${variant.method} ${variant.ask}`, isCuttable: true },
  { title: 'asks', show: ({ asks }) => asks, isCuttable: true },
];

/** Says what a run recorded that compared nothing. */
const noteRecording = ({ cases, stopped }: RunResult, { record }: CompareOptions): void => {
  note(`Recorded ${cases.length} cases, compared nothing. To compare with them: --against ${record}`);
  if (stopped === undefined) return;
  note(`Incomplete recording. ${stopped}`);
  process.exitCode = 1;
};

const complete = async ({ handle, keep }: OwnFile, text: string): Promise<void> => {
  await handle.writeFile(text);
  await keep();
};

/** Compares and writes the files, which it notes in `begun` before they are complete. */
const compareAndReport = async (
  cases: readonly ComparisonCase[],
  options: CompareOptions,
  begun: OwnFile[],
): Promise<void> => {
  const baseline = await readBaseline(options);
  const files = await beginReports(options, begun);
  const recordingFile = options.record === undefined ? undefined : await beginReport(options.record);
  if (recordingFile !== undefined) begun.push(recordingFile);
  const { result, recording } = await runComparison(cases, options);
  if (recordingFile !== undefined) await complete(recordingFile, JSON.stringify(recording));
  if (isOnlyRecording(options)) return noteRecording(result, options);
  const report = createReport(result, await compareWithBaseline(result, baseline, options));
  if (options.json) printJson(formatJsonReport(report));
  else if (report.verdict.kind !== 'nothing') printReport(report, options);
  for (const { path, file, format } of files) {
    await complete(file, format(report));
    note(path === options.html ? `The answers side by side: ${path}` : `Report: ${path}`);
  }
  if (report.verdict.kind === 'nothing') note(report.verdict.text);
  process.exitCode = report.verdict.exitCode;
};

const run = async (options: CompareOptions): Promise<void> => {
  const cases = await loadCases(options);
  if (options.list) return printListing(cases, listColumns, { json: options.json });
  checkFormOptions(options);
  const begun: OwnFile[] = [];
  try {
    await compareAndReport(cases, options, begun);
  } finally {
    for (const { discard } of begun) await discard(); // of those that are complete nothing is left to discard
  }
};

/** Sends the same requests to both forms, or to two gateways, and reports differences that the crosswalk does not explain. */
export const compareCommand: DefineCommand = (command) =>
  addCompareOptions(command)
    .description('ask both forms the same questions and check that their answers are one truth')
    .action(run);
