import { type Tallies, tallyUp } from '../../../adapters/cli/catalogue/import-report.ts';
import type { Database } from '../../../adapters/cli/open-database.ts';
import { carryOutImport } from '../../../adapters/stores/import/execute-import.ts';
import { type ImportError, readInput } from '../../../adapters/stores/import/input-files.ts';
import { prepareImport } from '../../../adapters/stores/import/plan-import.ts';

const silent = { advance() {}, end() {} };
const startProgress = () => silent;

/** After the instant that the test documents bear. */
export const importedAt = Date.parse('2026-08-23T00:00:00Z');

/** Imports as the command does, in this process: what was done, or what was refused. */
export const importHere = async (
  db: Database,
  paths: readonly string[],
  { prune = false } = {},
): Promise<Tallies | { readonly refused: readonly ImportError[] }> => {
  const prepared = await prepareImport(db, await readInput(paths), { prune, now: importedAt, startProgress });
  if ('refused' in prepared) return prepared;
  await carryOutImport(db, prepared, startProgress);
  return tallyUp(prepared.plans, prepared.labels, prepared.removals);
};
