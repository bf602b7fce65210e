import { performance } from 'node:perf_hooks';
import { executeImport } from '../../import/execute-import.ts';
import { type Lease, withImportLease } from '../../import/import-lease.ts';
import { type InputFile, readInputFiles } from '../../import/input-files.ts';
import { planImport } from '../../import/plan-import.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { inputArgument, userName } from '../shared-options.ts';
import { confirm } from '../terminal/confirm.ts';
import { note } from '../terminal/messages.ts';
import {
  formatCounts,
  formatRefusal,
  formatRemovals,
  noteUnread,
  printCounts,
  printRemarks,
} from './import-report.ts';
import { runInSteps, type StepRun } from './step-progress.ts';

interface ImportOptions {
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** A question that nobody answers keeps other imports waiting for the lease, in milliseconds. */
const maxAnswerMs = 60_000;

/** Plans and prints; writes with a lease, and not at all without one. */
const importFiles = async (
  files: readonly InputFile[],
  { prune = false, yes, json = false }: ImportOptions,
  { database: { documents, indexes }, now }: Context,
  { onProgress, interruption }: StepRun,
  lease?: Lease,
): Promise<void> => {
  const started = performance.now();
  const options = { prune, now: now(), onProgress, interruption, ...lease };
  const plan = await planImport(documents, files, options);
  const found = plan.input.found.result();
  printRemarks(found);
  if (!('counts' in plan)) {
    printCounts(found, json);
    throw new Error(formatRefusal(found));
  }
  if (lease === undefined) {
    printCounts(found, json, plan.counts);
    note(`Dry run, nothing was written. An import now: ${formatCounts(plan.counts)}.`);
    return;
  }
  const removals = formatRemovals(plan.counts);
  if (removals !== '')
    await confirm(`Remove ${removals} that the input no longer has?`, {
      yes,
      interruption,
      maxAnswerMs,
    });
  await indexes.create();
  await executeImport(documents, plan, onProgress, lease);
  printCounts(found, json, plan.counts);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  note(`Imported in ${seconds} s, none refused: ${formatCounts(plan.counts)}.`);
};

const importCatalogue = async (paths: readonly string[], options: ImportOptions): Promise<void> => {
  const files = await readInputFiles(paths, noteUnread);
  // Until the database is open Ctrl-C ends the process at once.
  await withContext((context) =>
    runInSteps((run) => {
      if (options.dryRun === true) return importFiles(files, options, context, run);
      const { interruption } = run;
      const importer = {
        actor: userName(),
        machineNow: context.usageNow,
        onWait: note,
        interruption,
      };
      return withImportLease(context.database, importer, (lease) =>
        importFiles(files, options, context, run, lease),
      );
    }),
  );
};

/** `catalogue import`: writes the differences between files and the database. */
export const importCommand: DefineCommand = (command) =>
  command
    .argument(...inputArgument)
    .option('--prune', 'remove what the input no longer has, of the collections it has a file for')
    .option('--yes', 'do not ask before removing')
    .option('--dry-run', 'print what would change, and write nothing')
    .option('--json', 'print a JSON object')
    .description(
      'check files, and write the differences to the database (in MONGODB_URL); safe to run again',
    )
    .addHelpText(...example('artist-gateway catalogue import /data/charts-2026 --prune'))
    .action(importCatalogue);
