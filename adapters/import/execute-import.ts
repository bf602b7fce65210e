import { confirmEmpty } from '../stores/mongodb/empty-collections.ts';
import { type ImportDatabase, removeDocuments, writeArtistChanges, writeLabels } from '../stores/mongodb/import.ts';
import type { Lease } from '../stores/mongodb/lease.ts';
import { compareBatch, type ImportPlan, type PlanOptions } from './plan-import.ts';

/** Whether an import leaves a collection without documents on purpose: it prunes, and the input's file has none. */
const emptiesCollection = (
  { collections, series, labels }: ImportPlan['input'],
  { prune }: PlanOptions,
  collection: 'history' | 'labels',
): boolean => prune && collections.has(collection) && (collection === 'history' ? series : labels).size === 0;

/**
 * Writes a plan, and confirms the lease before each batch. An interruption at any point leaves every artist as it was before
 * or after its batch. Removals go last, artists before their series; then the confirmation that a collection is empty.
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
  // Gateways keep the last copy of a collection that is empty all of a sudden, unless an import confirms it.
  const confirmed = (['history', 'labels'] as const).filter((collection) =>
    emptiesCollection(input, options, collection),
  );
  for (const collection of confirmed) await confirmEmpty(db, collection, options.now);
};
