import { executeImport } from '../../../adapters/import/execute-import.ts';
import { readInputFiles } from '../../../adapters/import/input-files.ts';
import type { InputMistake } from '../../../adapters/import/mistakes.ts';
import { type ImportPlan, planImport } from '../../../adapters/import/plan-import.ts';
import type { DocumentStore } from '../../../adapters/stores/database.ts';

const onProgress = (): void => {};

/** Later than the `updated_at` of the test documents; epoch milliseconds. */
export const importedAt = Date.parse('2026-08-23T00:00:00Z');

/** Imports as the command does, in this process: returns the counts, or the mistakes. */
export const importHere = async (
  documents: DocumentStore,
  paths: readonly string[],
  {
    prune = false,
    confirm = async () => {},
  }: { readonly prune?: boolean; readonly confirm?: () => Promise<void> } = {},
): Promise<ImportPlan['counts'] | { readonly refused: readonly InputMistake[] }> => {
  const plan = await planImport(documents, await readInputFiles(paths, () => {}), {
    prune,
    now: importedAt,
    onProgress,
  });
  if (!('counts' in plan)) return { refused: plan.input.found.result().mistakes };
  await executeImport(documents, plan, onProgress, { confirm });
  return plan.counts;
};
