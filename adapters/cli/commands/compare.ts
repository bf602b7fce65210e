import { type FileHandle, open } from 'node:fs/promises';
import pc from 'picocolors';
import { renderPage } from '../../compare/reports/html.ts';
import { formatJsonReport } from '../../compare/reports/json.ts';
import { formatReportTexts } from '../../compare/reports/terminal.ts';
import { type CaseResult, countExpected } from '../../compare/results.ts';
import { createReport, type RunReport } from '../../compare/verdict.ts';
import type { DefineCommand } from '../program.ts';
import { note, withoutSecrets } from '../terminal/messages.ts';
import { type Column, printJson, printListing } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { addCompareOptions, type CompareOptions } from './compare-options.ts';
import { loadCases, runComparison } from './compare-run.ts';

/** Opens a report's file before anything is asked, and empties it: an old report must not pass for the one of this run. */
const openFile = (path: string): Promise<FileHandle> =>
  open(path, 'w').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be written (${cause.code}).`, { cause });
  });

const formatItems = ({ items }: CaseResult): string =>
  items.current === items.variant ? String(items.current) : `${items.current} / ${items.variant}`;

const caseColumns: readonly Column<CaseResult>[] = [
  { title: 'case', show: ({ name }) => name, isCuttable: true },
  { title: 'items', show: formatItems },
  { title: 'same', show: ({ counts }) => counts.same },
  { title: 'renamed', show: ({ counts }) => counts.renamed },
  { title: 'expected', show: countExpected },
  { title: 'unexpected', show: ({ unexpected }) => unexpected.length },
];

/** Writes a text of several lines, whose values are escaped already and which may be coloured. */
const writeText = (text: string): void => {
  process.stderr.write(`${withoutSecrets(text)}\n`);
};

/** Prints the table of cases to standard output, and the rest to standard error. */
const printReport = (report: RunReport, { show, onlyUnexpected }: CompareOptions): void => {
  const { before, after } = formatReportTexts(report, {
    colours: pc.isColorSupported,
    show,
    onlyUnexpected: onlyUnexpected === true,
  });
  writeText(before);
  const { cases } = report.result;
  printListing(onlyUnexpected ? cases.filter(({ unexpected }) => unexpected.length > 0) : cases, caseColumns);
  writeText(after);
};

const run = async (options: CompareOptions): Promise<void> => {
  const { html, json } = options;
  const page = html === undefined ? undefined : await openFile(html);
  const recordingFile = options.record === undefined ? undefined : await openFile(options.record);
  const { result, recording } = await runComparison(await loadCases(options), options);
  const report = createReport(result);
  if (json) printJson(formatJsonReport(report));
  else if (report.verdict.kind !== 'nothing') printReport(report, options);
  await page?.writeFile(renderPage(report));
  await page?.close();
  await recordingFile?.writeFile(JSON.stringify(recording));
  await recordingFile?.close();
  if (html !== undefined) note(`The answers side by side: ${html}`);
  if (report.verdict.kind === 'nothing') note(report.verdict.text);
  process.exitCode = report.verdict.exitCode;
};

/** Sends the same requests to both forms, or to two gateways, and reports differences that the crosswalk does not explain. */
export const compareCommand: DefineCommand = (command) => addCompareOptions(command).action(run);
