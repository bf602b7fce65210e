import type { DocumentStore, Replacement } from '../stores/database.ts';
import type { InputDocument, OnProgress } from './check-input.ts';
import type { ArtistBatch, DocumentChanges } from './compare-artists.ts';
import type { Lease } from './import-lease.ts';
import type { ImportPlan } from './plan-import.ts';
import { type ReadDocument, readPlaces } from './read-documents.ts';
import { omit, unfinishedMark } from './stored-document.ts';

const placesOf = ({ added, replaced }: DocumentChanges): InputDocument[] => [
  ...added,
  ...replaced.map(({ given }) => given),
];

const replacementsOf = ({ replaced }: DocumentChanges, read: ReadDocument): Replacement[] =>
  replaced.map(({ _id, given }) => ({ _id, document: omit(read(given), ['_id']) }));

/**
 * Writes the changes of some artists. A stored artist is written first, with a mark; then its series; then its last instant of
 * change, which makes gateways reload it. So no gateway, whenever it reads, finds new series of an artist with old data, and
 * after an interruption the mark shows a later import which artists it must still touch. A new artist is written after its
 * series: until then no gateway knows it.
 */
const writeArtists = async (
  documents: DocumentStore,
  { addedArtists, changedArtists, series, removedSeries }: ArtistBatch,
  read: ReadDocument,
): Promise<void> => {
  const replacements = changedArtists.flatMap(({ _id, given, withSeries, begunAt, updatedAt }) => {
    if (given === undefined) return [];
    const instant = withSeries ? { updated_at: begunAt, [unfinishedMark]: true } : { updated_at: updatedAt };
    return [{ _id, withSeries, document: { ...omit(read(given), ['_id']), ...instant } }];
  });
  const withSeries = changedArtists.filter((change) => change.withSeries);
  const touched = withSeries.filter(({ given }) => given === undefined);
  await documents.replace(
    'artists',
    replacements.filter((one) => one.withSeries),
  );
  await documents.update(
    'artists',
    touched.map(({ _id, begunAt }) => ({ _id, document: { updated_at: begunAt, [unfinishedMark]: true } })),
  );
  await documents.put('history', series.added.map(read));
  await documents.replace('history', replacementsOf(series, read));
  await documents.remove('history', removedSeries);
  await documents.put('artists', addedArtists.map(read));
  await documents.replace(
    'artists',
    replacements.filter((one) => !one.withSeries),
  );
  await documents.update(
    'artists',
    withSeries.map(({ _id, updatedAt }) => ({ _id, document: { updated_at: updatedAt, [unfinishedMark]: undefined } })),
  );
};

/** The collections that an import leaves without documents on purpose: it prunes, and the input's file has none. */
const emptiedCollections = ({ input: { collections, series, labels }, options: { prune } }: ImportPlan): string[] => {
  const documents = { history: series, labels };
  return (['history', 'labels'] as const).filter(
    (name) => prune && collections.has(name) && documents[name].size === 0,
  );
};

/**
 * Writes a plan, and confirms the lease before each batch. An interruption at any point leaves every artist as it was before
 * or after its batch. Removals go last, artists before their series; then the confirmation that a collection is empty.
 */
export const executeImport = async (
  documents: DocumentStore,
  plan: ImportPlan,
  onProgress: OnProgress,
  lease: Pick<Lease, 'confirm'>,
): Promise<void> => {
  const { batches, labels, removals, options } = plan;
  const total = batches.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  onProgress({ step: 'Writing', done, total });
  await lease.confirm();
  const readLabel = await readPlaces(placesOf(labels));
  await documents.put('labels', labels.added.map(readLabel));
  await documents.replace('labels', replacementsOf(labels, readLabel));
  for (const batch of batches) {
    const artists = [...batch.addedArtists, ...batch.changedArtists.flatMap(({ given }) => given ?? [])];
    const read = await readPlaces([...artists, ...placesOf(batch.series)]);
    await lease.confirm();
    await writeArtists(documents, batch, read);
    done += batch.size;
    onProgress({ step: 'Writing', done, total });
  }
  await lease.confirm();
  await documents.remove('artists', removals.artists);
  await documents.remove('history', removals.orphanedSeries);
  await documents.remove('labels', removals.labels);
  // Gateways keep the last copy of a collection that is empty all of a sudden, unless an import confirms it.
  const confirmations = emptiedCollections(plan).map((_id) => ({ _id, emptied_at: new Date(options.now) }));
  await documents.put('catalogue_confirmations', confirmations);
};
