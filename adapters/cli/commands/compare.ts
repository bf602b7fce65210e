import { type FileHandle, open } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import pc from 'picocolors';
import { casesFolder, fixtureFolder, readSpikeSettings } from '../../../src/runtime/config.ts';
import { type ComparisonCase, readCases } from '../../compare/cases/cases.ts';
import { shortlistCases, walkShortlist } from '../../compare/cases/shortlist.ts';
import { rowIds } from '../../compare/checks/row-ids.ts';
import { renderPage } from '../../compare/reports/html.ts';
import { formatJsonReport } from '../../compare/reports/json.ts';
import { formatReportTexts } from '../../compare/reports/terminal.ts';
import { type CaseResult, countExpected, type RunResult } from '../../compare/results.ts';
import { runCases } from '../../compare/run.ts';
import { openEmbeddedTarget } from '../../compare/targets/embedded-target.ts';
import { openRunningTarget } from '../../compare/targets/running-target.ts';
import type { OpenTarget } from '../../compare/targets/target.ts';
import { createReport, type RunReport } from '../../compare/verdict.ts';
import { readBaseUrl, readCount, readInstant, readKeys, readPairs } from '../option-parsers.ts';
import type { DefineCommand } from '../program.ts';
import { note } from '../terminal/messages.ts';
import { type CompareProgress, silentProgress, startCompareProgress } from '../terminal/progress.ts';
import { type Column, printJson, printListing } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';

interface CompareOptions {
  readonly catalogue?: string;
  readonly now?: number;
  readonly baseUrl?: URL;
  readonly keysFile?: string;
  readonly pairs?: string;
  readonly maxWait: number;
  readonly all?: true;
  readonly cases: string;
  readonly case: readonly string[];
  readonly requireRows: readonly string[];
  readonly show: number;
  readonly onlyUnexpected?: true;
  readonly json?: true;
  readonly html?: string;
}

/** The named cases; by default all. */
const chooseCases = (cases: readonly ComparisonCase[], names: readonly string[]): readonly ComparisonCase[] => {
  const unknown = names.find((name) => cases.every((one) => one.name !== name));
  if (unknown !== undefined) throw new UsageError(`There is no case ${unknown}.`);
  return names.length === 0 ? cases : cases.filter(({ name }) => names.includes(name));
};

const openTarget = async (options: CompareOptions, { wait }: CompareProgress): Promise<OpenTarget> => {
  const { baseUrl, keysFile, pairs, maxWait, catalogue = fixtureFolder, now } = options;
  if (baseUrl === undefined) {
    if (keysFile ?? pairs) throw new UsageError('--keys-file and --pairs go with --base-url.');
    return openEmbeddedTarget({ folder: catalogue, now, spikes: readSpikeSettings() });
  }
  return openRunningTarget({
    baseUrl,
    keys: await readKeys(keysFile),
    pairs: await readPairs(pairs),
    wait,
    maxWaitSeconds: maxWait,
  });
};

const compare = async (options: CompareOptions): Promise<RunResult> => {
  const all = await readCases(options.cases).catch((cause: unknown) => {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  });
  const cases = chooseCases(all, options.case);
  const total = cases.length + (options.all ? shortlistCases : 0);
  const progress = options.baseUrl === undefined ? silentProgress : startCompareProgress(total);
  try {
    const open = await openTarget(options, progress);
    try {
      const begin = ({ name }: { readonly name: string }) => progress.begin(name);
      const ran = await runCases(cases, open.target, begin);
      const walked = options.all
        ? await walkShortlist(open.target, begin)
        : { cases: [], skipped: [], stopped: undefined, notes: [] };
      return {
        target: open.name,
        now: open.now,
        requiredRows: options.requireRows,
        cases: [...ran.cases, ...walked.cases],
        skipped: [...ran.skipped, ...walked.skipped],
        notes: [...open.notes, ...walked.notes],
        stopped: ran.stopped ?? walked.stopped,
      };
    } finally {
      await open.close();
    }
  } finally {
    progress.end();
  }
};

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

/** Prints the table of cases to standard output, and the rest to standard error. */
const printReport = (report: RunReport, { show, onlyUnexpected }: CompareOptions): void => {
  const { before, after } = formatReportTexts(report, {
    colours: pc.isColorSupported,
    show,
    onlyUnexpected: onlyUnexpected === true,
  });
  note(before);
  const { cases } = report.result;
  printListing(onlyUnexpected ? cases.filter(({ unexpected }) => unexpected.length > 0) : cases, caseColumns);
  note(after);
};

const run = async (options: CompareOptions): Promise<void> => {
  const { html, json } = options;
  const page = html === undefined ? undefined : await openFile(html);
  const report = createReport(await compare(options));
  if (json) printJson(formatJsonReport(report));
  else if (report.verdict.kind !== 'nothing') printReport(report, options);
  await page?.writeFile(renderPage(report));
  await page?.close();
  if (html !== undefined) note(`The answers side by side: ${html}`);
  if (report.verdict.kind === 'nothing') note(report.verdict.text);
  process.exitCode = report.verdict.exitCode;
};

const readRowIds = (text: string): readonly string[] => {
  const given = text.split(',').map((part) => part.trim());
  const unknown = given.find((id) => !rowIds.includes(id));
  if (unknown === undefined) return given;
  throw new InvalidArgumentError(`${unknown} is no row of the crosswalk, like ${rowIds.slice(0, 3).join(', ')}.`);
};

const append = (value: string, before: readonly string[]): readonly string[] => [...before, value];

const helpText = `
Keys for --base-url are CURRENT_KEY and VARIANT_KEY, or OVERRIDE_KEY for one key with the envelope override.

Examples:
  artist-gateway compare --html report.html
  artist-gateway compare --catalogue /data/charts-2026 --all
  CURRENT_KEY=… VARIANT_KEY=… artist-gateway compare --base-url https://api.example.com --all

Exit codes: 0 no unexpected difference, 1 an unexpected difference or an incomplete run, 2 invalid arguments or nothing\ncompared.`;

/** Sends the same requests to both forms and reports differences that the crosswalk does not explain. */
export const compareCommand: DefineCommand = (command) =>
  command
    .addOption(new Option('--catalogue <folder>', 'compare over this catalogue, in this process').conflicts('baseUrl'))
    .addOption(
      new Option('--now <instant>', 'the time of the answers; by default noon of the newest day in the catalogue')
        .argParser(readInstant)
        .conflicts('baseUrl'),
    )
    .addOption(new Option('--base-url <url>', 'compare a running gateway').argParser(readBaseUrl))
    .option(
      '--keys-file <file>',
      'file with its keys, as {"current", "variant"} or {"override"}, instead of the environment',
    )
    .option('--pairs <file>', 'pairs of identifiers, as [{"current", "variant"}], instead of pairing by name and day')
    .option('--max-wait <seconds>', 'maximum number of seconds to wait for the end of a quota window', readCount, 3700)
    .option('--all', 'also compare the whole shortlist, and name the artists that cannot be reached')
    .option('--cases <folder>', 'folder with the cases', casesFolder)
    .option('--case <name>', 'only this case; may be given more than once', append, [])
    .option('--require-rows <rows>', 'rows of the crosswalk that must be exercised, comma-separated', readRowIds, [])
    .option('--show <count>', 'number of examples of each cause', readCount, 1)
    .option('--only-unexpected', 'list only the cases with an unexpected difference')
    .option('--json', 'print a JSON object')
    .option('--html <file>', 'write a page with the answers side by side')
    .addHelpText('after', helpText)
    .action(run);
