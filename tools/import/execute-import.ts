import type { DocumentStore, DocumentUpdate } from '../../adapters/stores/database.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { inBatches } from '../../src/domain/groups.ts';
import { sum } from '../../src/domain/quantities.ts';
import type { InputArtist, OnProgress } from './check-input.ts';
import { type ArtistBatch, compareBatch } from './compare-artists.ts';
import type { Lease } from './import-lease.ts';
import { digestOf, type ImportPlan, type PlannedBatch } from './plan-import.ts';
import { readStored, type StoredVersion, unfinishedMark, writtenBy } from './to-stored.ts';
import { createTurns } from './turns.ts';

/** Documents per command: a confirmed command must reach the database soon. */
const maxPerCommand = 200;

/**
 * Writes documents only while this import has the lease, which is confirmed before each command,
 * and only documents that no other program has changed since they were compared.
 */
const whileLeased = (documents: DocumentStore, lease: Lease, run: string) => {
  const stop = (): never => {
    throw new Error(
      'Stored documents were changed in the meantime: this import stopped. Run it again.',
    );
  };
  const inCommands = async <Item>(
    items: readonly Item[],
    write: (some: readonly Item[]) => Promise<number>,
  ): Promise<void> => {
    for (const some of inBatches(items, maxPerCommand)) {
      await lease.confirm();
      if ((await write(some)) < some.length) stop();
    }
  };
  return {
    confirm: lease.confirm,
    stop,
    update: (collection: string, changes: readonly DocumentUpdate[]) =>
      inCommands(changes, (some) =>
        documents.update(
          collection,
          some.map((one) => ({ ...one, document: { ...one.document, [writtenBy]: run } })),
        ),
      ),
    add: (collection: string, items: readonly StoredDocument[]) =>
      inCommands(items, (some) =>
        documents.add(
          collection,
          some.map((one) => ({ ...one, [writtenBy]: run })),
        ),
      ),
    remove: (collection: string, removals: readonly StoredVersion[]) =>
      inCommands(removals, async (some) => {
        await documents.remove(collection, some);
        return some.length;
      }),
  };
};

type LeasedWrites = ReturnType<typeof whileLeased>;

/**
 * Writes the changes of artists. For a stored artist it writes the artist with a mark, then its
 * series, then its new change time, which makes gateways reload it. So a gateway never reads new
 * series of an artist with old data, and after an interruption the mark shows which artists the
 * next import must touch. A new artist is written after its series: until then no gateway knows it.
 */
const writeArtists = async (
  documents: LeasedWrites,
  { addedArtists, changedArtists, series }: ArtistBatch,
  { isFirst, now }: ImportPlan,
): Promise<void> => {
  // A removed artist may return with its previous change time and other content.
  const addedArtist = (given: InputArtist) => ({
    ...readStored(given),
    ...(!isFirst && { updated_at: new Date(Math.max(given.changedAt, now)) }),
  });
  const withSeries = changedArtists.filter((change) => change.withSeries);
  const alone = changedArtists.filter((change) => !change.withSeries);
  const begun = withSeries.map(({ _id, before, document, begunAt }) => ({
    _id,
    before,
    document: { ...document, updated_at: begunAt, [unfinishedMark]: true },
  }));
  await documents.update('artists', begun);
  await documents.add('history', series.added.map(readStored));
  await documents.update('history', series.changed);
  await documents.remove('history', series.removed);
  await documents.add('artists', addedArtists.map(addedArtist));
  const changed = alone.map(({ _id, before, document, updatedAt }) => ({
    _id,
    before,
    document: { ...document, updated_at: updatedAt, [unfinishedMark]: undefined },
  }));
  await documents.update('artists', changed);
  const ends = withSeries.map(({ _id, begunAt, updatedAt }) => ({
    _id,
    before: { updated_at: begunAt },
    document: { updated_at: updatedAt, [unfinishedMark]: undefined },
  }));
  await documents.update('artists', ends);
};

/**
 * The collections that an import empties on purpose: it prunes, and the input's file has no
 * documents.
 */
const emptiedCollections = ({ input, prune }: ImportPlan): string[] => {
  const documents = { history: input.series, labels: input.labels };
  return (['history', 'labels'] as const).filter(
    (name) => prune && input.collections.has(name) && documents[name].size === 0,
  );
};

/**
 * Writes a plan while it has the lease. Each document gets the id of this `run`. An interruption
 * leaves every artist as before or after its batch. Removals are last, artists before their series;
 * then the confirmation of empty collections.
 */
export const executeImport = async (
  database: DocumentStore,
  plan: ImportPlan,
  onProgress: OnProgress,
  { lease, run }: { readonly lease: Lease; readonly run: string },
): Promise<void> => {
  const { batches, labels, removedArtists, orphanedSeries, now } = plan;
  const documents = whileLeased(database, lease, run);
  const total = sum(batches.map(({ artistIds }) => artistIds.length));
  const turn = createTurns();
  /** Compares a batch again. Stops if it differs from the plan. */
  const compareAgain = async ({ artistIds, digest }: PlannedBatch): Promise<ArtistBatch> => {
    const batch = await compareBatch({ ...plan, documents: database, turn }, artistIds);
    return digestOf(batch) === digest ? batch : documents.stop();
  };
  let done = 0;
  onProgress({ step: 'Writing', done, total });
  await documents.add('labels', labels.added.map(readStored));
  await documents.update('labels', labels.changed);
  for (const planned of batches) {
    await writeArtists(documents, await compareAgain(planned), plan);
    done += planned.artistIds.length;
    onProgress({ step: 'Writing', done, total });
  }
  await documents.remove('artists', removedArtists);
  await documents.remove('history', orphanedSeries);
  await documents.remove('labels', labels.removed);
  // Gateways keep the last copy of a collection that is empty all of a sudden, unless an import
  // confirms it.
  for (const _id of emptiedCollections(plan)) {
    await documents.confirm();
    const document = { emptied_at: new Date(now) };
    const isNew = await database.insert('catalogue_confirmations', { _id, ...document });
    if (!isNew) await database.update('catalogue_confirmations', [{ _id, document }]);
  }
  await documents.confirm();
};
