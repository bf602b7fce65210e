import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import { carryOutImport } from '../../stores/import/execute-import.ts';
import { noCounts } from '../../stores/import/import-counts.ts';
import { readInput } from '../../stores/import/input-files.ts';
import { prepareImport } from '../../stores/import/plan-import.ts';
import { removalsText } from '../../stores/import/removals.ts';
import { createIndexes } from '../../stores/mongodb/indexes.ts';
import { currentTime } from '../audit-options.ts';
import { withDatabase } from '../open-database.ts';
import { confirm } from '../terminal/confirm.ts';
import { note } from '../terminal/messages.ts';
import { startProgress } from '../terminal/progress.ts';
import { printRefusals, refusalText } from './import-errors.ts';
import { printTallies, tallyUp } from './import-report.ts';

interface ImportOptions {
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const nothing = { artists: noCounts, series: noCounts, labels: noCounts };

const importCatalogue = async (paths: readonly string[], options: ImportOptions): Promise<void> => {
  const { prune = false, yes, dryRun = false, json = false } = options;
  const started = performance.now();
  const input = await readInput(paths);
  await withDatabase(async (db) => {
    const prepared = await prepareImport(db, input, { prune, now: currentTime(), startProgress });
    if ('refused' in prepared) {
      if (json) printTallies(nothing, prepared.refused, json);
      else printRefusals(prepared.refused);
      throw new Error(refusalText(prepared.refused));
    }
    const { plans, labels, removals } = prepared;
    const tallies = tallyUp(plans, labels, removals);
    if (dryRun) {
      printTallies(tallies, [], json);
      note('This is what an import would do: nothing was written.');
      return;
    }
    const removed = removalsText(removals);
    if (removed !== undefined) await confirm(`Remove ${removed} that the input no longer has?`, { yes });
    await createIndexes(db);
    await carryOutImport(db, prepared, startProgress);
    printTallies(tallies, [], json);
    note(`Imported in ${((performance.now() - started) / 1000).toFixed(1)} s, none refused.`);
  });
};

/** Brings files of the stored format into the database. */
export const importCommand = (): Command =>
  new Command('import')
    .description(
      'check files, and write what differs from what is stored (in MONGODB_URL); can be run again at any time',
    )
    .argument('<path...>', 'folders and files: artists, history and labels, .json or .ndjson')
    .option('--prune', 'remove what the input no longer has, of the collections it has a file for')
    .option('--yes', 'do not ask before removing')
    .option('--dry-run', 'only tell what would be done')
    .option('--json', 'print a JSON object')
    .addHelpText('after', '\nExample:\n  artist-gateway catalogue import /data/charts-2026 --prune')
    .action(importCatalogue);
