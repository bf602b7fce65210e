import { performance } from 'node:perf_hooks';
import { executeImport } from '../../stores/import/execute-import.ts';
import { type ImportProgress, planImport } from '../../stores/import/plan-import.ts';
import { withContext } from '../context.ts';
import type { DefineCommand } from '../program.ts';
import { confirm } from '../terminal/confirm.ts';
import { note } from '../terminal/messages.ts';
import { type Progress, startProgress } from '../terminal/progress.ts';
import { formatRefusal, formatRemovals, printCounts, printRefusedImport } from './import-report.ts';
import { inputArgument, readInputArgument } from './input-argument.ts';

interface ImportOptions {
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Runs work, and shows each of its steps as progress of its own. */
const withProgress = async <Result>(
  work: (onProgress: (progress: ImportProgress) => void) => Promise<Result>,
): Promise<Result> => {
  let shown: Progress | undefined;
  let shownDone = 0;
  const end = (): void => {
    shown?.end();
    shown = undefined;
  };
  const onProgress = ({ step, done, total }: ImportProgress): void => {
    if (done === 0) shown = startProgress(step, total, 'artists');
    else shown?.advance(done - shownDone);
    shownDone = done;
    if (done === total) end();
  };
  try {
    return await work(onProgress);
  } finally {
    end();
  }
};

const importCatalogue = async (paths: readonly string[], options: ImportOptions): Promise<void> => {
  const { prune = false, yes, dryRun = false, json = false } = options;
  const started = performance.now();
  const input = await readInputArgument(paths);
  await withContext(async ({ db, indexes, now }) => {
    const plan = await withProgress((onProgress) => planImport(db, input, { prune, now: now(), onProgress }));
    if ('refused' in plan) {
      printRefusedImport(plan.refused, json);
      throw new Error(formatRefusal(plan.refused));
    }
    if (dryRun) {
      printCounts(plan.counts, json);
      note('Dry run: nothing was written.');
      return;
    }
    const removals = formatRemovals(plan.counts);
    if (removals !== undefined) await confirm(`Remove ${removals} that the input no longer has?`, { yes });
    await indexes.create();
    await withProgress((onProgress) => executeImport(db, plan, onProgress));
    printCounts(plan.counts, json);
    note(`Imported in ${((performance.now() - started) / 1000).toFixed(1)} s, none refused.`);
  });
};

/** `catalogue import`: writes the differences between files and the database. */
export const importCommand: DefineCommand = (command) =>
  command
    .argument(...inputArgument)
    .option('--prune', 'remove what the input no longer has, of the collections it has a file for')
    .option('--yes', 'do not ask before removing')
    .option('--dry-run', 'print what would change, and write nothing')
    .option('--json', 'print a JSON object')
    .action(importCatalogue);
