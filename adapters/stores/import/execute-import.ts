import { type ImportDatabase, removeDocuments, writeArtistChanges, writeLabels } from '../mongodb/import.ts';
import type { Lease } from '../mongodb/lease.ts';
import { compareBatch, type ImportPlan, type PlanOptions } from './plan-import.ts';

/**
 * Writes a plan, and confirms the lease before each batch. An interruption at any point leaves every artist as it was before or after its batch. Removals go last,
 * artists before their series.
 */
export const executeImport = async (
  db: ImportDatabase,
  { input, batches, labels, removals, options }: ImportPlan,
  onProgress: PlanOptions['onProgress'],
  lease: Pick<Lease, 'confirm'>,
): Promise<void> => {
  const total = batches.reduce((sum, { length }) => sum + length, 0);
  let done = 0;
  onProgress({ step: 'Writing', done, total });
  await lease.confirm();
  await writeLabels(db, labels.added, labels.replaced);
  for (const artistIds of batches) {
    const { changes } = await compareBatch(db, input, artistIds, options);
    await lease.confirm();
    await writeArtistChanges(db, changes);
    done += artistIds.length;
    onProgress({ step: 'Writing', done, total });
  }
  await lease.confirm();
  await removeDocuments(db, 'artists', removals.artists);
  await removeDocuments(db, 'history', removals.orphanedSeries);
  await removeDocuments(db, 'labels', removals.labels);
};
