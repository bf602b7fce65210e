import { carryOutImport } from '../../src/cli/catalogue/carry-out-import.ts';
import { type Refusal, readInput } from '../../src/cli/catalogue/input-files.ts';
import { prepareImport } from '../../src/cli/catalogue/prepare-import.ts';
import { type Tallies, tallyUp } from '../../src/cli/catalogue/report.ts';
import type { Database } from '../../src/cli/open-database.ts';

const silent = { advance() {}, end() {} };
const startProgress = () => silent;

/** After the instant that the test documents bear. */
export const importedAt = Date.parse('2026-08-23T00:00:00Z');

/** Imports as the command does, in this process: what was done, or what was refused. */
export const importHere = async (
  db: Database,
  paths: readonly string[],
  { prune = false } = {},
): Promise<Tallies | { readonly refused: readonly Refusal[] }> => {
  const prepared = await prepareImport(db, await readInput(paths), { prune, now: importedAt, startProgress });
  if ('refused' in prepared) return prepared;
  await carryOutImport(db, prepared, startProgress);
  return tallyUp(prepared.plans, prepared.labels, prepared.removals);
};
