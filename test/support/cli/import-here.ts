import type { CheckedInput } from '../../../adapters/stores/import/check-input.ts';
import { executeImport } from '../../../adapters/stores/import/execute-import.ts';
import { readInput } from '../../../adapters/stores/import/input-files.ts';
import { type ImportPlan, planImport } from '../../../adapters/stores/import/plan-import.ts';
import type { ImportDatabase } from '../../../adapters/stores/mongodb/import.ts';

const onProgress = (): void => {};

/** Later than the `updated_at` of the test documents; epoch milliseconds. */
export const importedAt = Date.parse('2026-08-23T00:00:00Z');

/** Imports as the command does, in this process: returns the counts, or the refused documents. */
export const importHere = async (
  db: ImportDatabase,
  paths: readonly string[],
  { prune = false } = {},
): Promise<ImportPlan['counts'] | Pick<CheckedInput, 'refused'>> => {
  const plan = await planImport(db, await readInput(paths), { prune, now: importedAt, onProgress });
  if ('refused' in plan) return plan;
  await executeImport(db, plan, onProgress);
  return plan.counts;
};
