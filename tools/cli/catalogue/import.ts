import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { dayOf } from '../../../src/domain/day.ts';
import { redactKeyTexts } from '../../../src/keys/key-format.ts';
import type { OnProgress } from '../../import/check-input.ts';
import { executeImport } from '../../import/execute-import.ts';
import { type Lease, withImportLease } from '../../import/import-lease.ts';
import { type InputFile, readInputFiles } from '../../import/input-files.ts';
import type { ListedChange, OnChange } from '../../import/list-changes.ts';
import { moveDays } from '../../import/move-days.ts';
import { type ImportPlan, planImport } from '../../import/plan-import.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { readCount } from '../option-parsers.ts';
import { inputArgument, userName } from '../shared-options.ts';
import { confirm } from '../terminal/confirm.ts';
import { note } from '../terminal/messages.ts';
import {
  describeMassRemoval,
  formatCounts,
  formatRefusal,
  formatRemovals,
  maxListedChanges,
  noteUnread,
  printChanges,
  printCounts,
  printWarnings,
} from './import-report.ts';
import { auditedCounts } from './log.ts';
import { runInSteps, type StepRun } from './step-progress.ts';

interface ImportOptions {
  readonly prune?: boolean;
  readonly pruneAtMost?: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly daysToToday?: boolean;
  readonly json?: boolean;
}

/** Writes a plan, with its audit record first: a crash leaves no change without a record. */
const writePlan = async (
  plan: ImportPlan,
  files: readonly InputFile[],
  { database, imports, now }: Context,
  { onProgress, lease }: { readonly onProgress: OnProgress; readonly lease: Lease },
): Promise<void> => {
  const run = randomUUID();
  await imports.append({
    run,
    at: now(),
    actor: userName(),
    files: files.map(({ path }) => redactKeyTexts(resolve(path))),
    ...auditedCounts(plan.counts),
  });
  try {
    await executeImport(database.documents, plan, onProgress, { lease, run });
  } catch (failure) {
    const reason = redactKeyTexts(failure instanceof Error ? failure.message : String(failure));
    await imports.stop(run, reason).catch(() => {}); // the database may be what failed
    throw failure;
  }
};

/** Plans and prints; writes with a lease, and not at all without one. */
const importFiles = async (
  files: readonly InputFile[],
  { prune = false, pruneAtMost = 0, yes, json = false }: ImportOptions,
  context: Context,
  { onProgress, interruption }: StepRun,
  lease?: Lease,
): Promise<void> => {
  const started = performance.now();
  const { documents, indexes } = context.database;
  const changes: ListedChange[] = [];
  let total = 0;
  const onChange: OnChange = (change) => {
    total += 1;
    if (json || total <= maxListedChanges)
      changes.push(JSON.parse(redactKeyTexts(JSON.stringify(change))));
  };
  const plan = await planImport(documents, files, {
    prune,
    now: context.now(),
    onProgress,
    interruption,
    ...(lease === undefined && { onChange }),
  });
  const found = plan.input.found.result();
  printWarnings(found);
  if (!('counts' in plan)) {
    printCounts(found, json);
    throw new Error(formatRefusal(found));
  }
  const massRemoval = describeMassRemoval(plan.counts, pruneAtMost);
  if (lease === undefined) {
    printCounts(found, json, plan.counts, changes);
    if (!json) printChanges(changes, total);
    if (massRemoval !== undefined) note(massRemoval);
    note(`Dry run, nothing was written. An import now: ${formatCounts(plan.counts)}.`);
    return;
  }
  if (massRemoval !== undefined) throw new Error(`Nothing was written. ${massRemoval}`);
  const removals = formatRemovals(plan.counts);
  if (removals !== '')
    await confirm(`Remove ${removals} that the input no longer has?`, { yes, interruption });
  await indexes.create();
  await writePlan(plan, files, context, { onProgress, lease });
  printCounts(found, json, plan.counts);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  note(`Imported in ${seconds} s, none refused: ${formatCounts(plan.counts)}.`);
};

const importCatalogue = async (paths: readonly string[], options: ImportOptions): Promise<void> => {
  const found = await readInputFiles(paths, noteUnread);
  // Until the database is open Ctrl-C ends the process at once.
  await withContext((context) =>
    runInSteps((run) => {
      const files = options.daysToToday ? moveDays(found, dayOf(context.now())) : found;
      if (options.dryRun === true) return importFiles(files, options, context, run);
      const importer = { actor: userName(), machineNow: context.usageNow };
      return withImportLease(context.database, importer, (lease) =>
        importFiles(files, options, context, run, lease),
      );
    }),
  );
};

export const importCommand: DefineCommand = (command) =>
  command
    .argument(...inputArgument)
    .option('--prune', 'remove what the input no longer has, of the collections it has a file for')
    .addOption(
      command
        .createOption(
          '--prune-at-most <number>',
          '--prune up to this number, if that is more than a tenth of a collection',
        )
        .argParser(readCount)
        .implies({ prune: true }),
    )
    .option('--yes', 'do not ask before removing')
    .option('--dry-run', 'print what would change, and write nothing')
    .option('--days-to-today', 'move all days until the newest is today: for the example catalogue')
    .option('--json', 'print a JSON object')
    .description(
      'check files, and write the differences to the database (in MONGODB_URL); safe to run again',
    )
    .addHelpText(...example('artist-gateway catalogue import /data/charts-2026 --prune'))
    .action(importCatalogue);
