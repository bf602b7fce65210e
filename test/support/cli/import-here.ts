import { randomUUID } from 'node:crypto';
import type { DocumentStore } from '../../../adapters/stores/database.ts';
import { validateInput } from '../../../tools/import/check-references.ts';
import { executeImport } from '../../../tools/import/execute-import.ts';
import type { Lease } from '../../../tools/import/import-lease.ts';
import type { InputError } from '../../../tools/import/input-errors.ts';
import { readInputFiles } from '../../../tools/import/input-files.ts';
import { type LevelCounts, noLevels, planImport } from '../../../tools/import/plan-import.ts';

const onProgress = (): void => {};

/** For an import that no other one can meet. */
const noLease: Lease = { confirm: async () => {} };

/** Later than the `updated_at` of the test documents; epoch milliseconds. */
export const importedAt = Date.parse('2026-08-23T00:00:00Z');

/** Of a level of which an import does nothing. */
export const noCounts = noLevels.artists;

/** Validates as the command does, in this process, on the day of `importedAt`. */
export const validateHere = async (paths: readonly string[]) =>
  validateInput(await readInputFiles(paths, () => {}), { now: importedAt, onProgress });

/** Imports as the command does, in this process: returns the counts, or the errors. */
export const importHere = async (
  documents: DocumentStore,
  paths: readonly string[],
  { prune = false, lease = noLease }: { readonly prune?: boolean; readonly lease?: Lease } = {},
): Promise<LevelCounts | { readonly refused: readonly InputError[] }> => {
  const options = { prune, now: importedAt, onProgress };
  const plan = await planImport(documents, await readInputFiles(paths, () => {}), options);
  if (!('counts' in plan)) return { refused: plan.input.found.result().errors };
  await executeImport(documents, plan, onProgress, { lease, run: randomUUID() });
  return plan.counts;
};
