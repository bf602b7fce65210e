import { type ImportDatabase, removeDocuments, writeArtistChanges, writeLabels } from '../mongodb/import.ts';
import type { ImportPlan, PlanOptions } from './plan-import.ts';

/**
 * Writes a plan. An interruption at any point leaves every artist as it was before or after its batch. Removals go last,
 * artists before their series.
 */
export const executeImport = async (
  db: ImportDatabase,
  { batches, labels, removals }: ImportPlan,
  onProgress: PlanOptions['onProgress'],
): Promise<void> => {
  const changed = batches.filter(({ changes }) => Object.values(changes).some((list) => list.length > 0));
  const total = changed.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  onProgress({ step: 'Writing', done, total });
  await writeLabels(db, labels.added, labels.replaced);
  for (const { changes, size } of changed) {
    await writeArtistChanges(db, changes);
    done += size;
    onProgress({ step: 'Writing', done, total });
  }
  await removeDocuments(db, 'artists', removals.artists);
  await removeDocuments(db, 'history', removals.orphanedSeries);
  await removeDocuments(db, 'labels', removals.labels);
};
