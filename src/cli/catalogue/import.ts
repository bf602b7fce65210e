import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import { createIndexes } from '../../../adapters/mongodb/indexes.ts';
import { present } from '../accountability.ts';
import { confirm } from '../confirm.ts';
import { note } from '../notes.ts';
import { withDatabase } from '../open-database.ts';
import { startProgress } from '../progress.ts';
import { carryOutImport } from './carry-out-import.ts';
import { readInput } from './input-files.ts';
import { prepareImport } from './prepare-import.ts';
import { printRefusals, refusalText } from './refusals.ts';
import { removalsText } from './removals.ts';
import { printTallies, tallyUp } from './report.ts';
import { emptyTally } from './tally.ts';

interface ImportOptions {
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const nothing = { artists: emptyTally, series: emptyTally, labels: emptyTally };

const importCatalogue = async (paths: readonly string[], options: ImportOptions): Promise<void> => {
  const { prune = false, yes, dryRun = false, json = false } = options;
  const started = performance.now();
  const input = await readInput(paths);
  await withDatabase(async (db) => {
    const prepared = await prepareImport(db, input, { prune, now: present(), startProgress });
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
