import type { DocumentStore, Replacement } from '../stores/database.ts';
import type { InputArtist, OnProgress } from './check-input.ts';
import type { ArtistBatch, DocumentChanges } from './compare-artists.ts';
import type { Lease } from './import-lease.ts';
import type { ImportPlan } from './plan-import.ts';
import { omit, readStored, unfinishedMark } from './stored-document.ts';

const replacementsOf = ({ replaced }: DocumentChanges): Replacement[] =>
  replaced.map(({ _id, given }) => ({ _id, document: omit(readStored(given), ['_id']) }));

/** The documents of one command: what is sent after a confirmation is soon there. */
const maxPerCommand = 200;

/**
 * The documents of a database, written only while this import has the lease: it is confirmed before each command. An import that
 * stood still in between finds that another one has begun, and stops.
 */
const whileLeased = (documents: DocumentStore, { confirm }: Pick<Lease, 'confirm'>): DocumentStore => {
  const inCommands = async <Item>(items: readonly Item[], write: (some: readonly Item[]) => Promise<unknown>) => {
    let written = 0;
    for (let start = 0; start < items.length; start += maxPerCommand) {
      await confirm();
      written += Number((await write(items.slice(start, start + maxPerCommand))) ?? 0);
    }
    return written;
  };
  return {
    ...documents,
    put: async (name, items) => void (await inCommands(items, (some) => documents.put(name, some))),
    replace: (name, items) => inCommands(items, (some) => documents.replace(name, some)),
    update: (name, items) => inCommands(items, (some) => documents.update(name, some)),
    remove: async (name, items) => void (await inCommands(items, (some) => documents.remove(name, some))),
  };
};

/** Raises that somebody else changed an artist since it was compared. */
const requireAll = (written: number, { length }: readonly unknown[]): void => {
  if (written < length)
    throw new Error('Artists were changed by somebody else meanwhile: this import stopped. Run it again.');
};

/**
 * Writes the changes of some artists. A stored artist is written first, with a mark; then its series; then its last instant of
 * change, which makes gateways reload it. So no gateway, whenever it reads, finds new series of an artist with old data, and
 * after an interruption the mark shows a later import which artists it must still touch. A new artist is written after its
 * series: until then no gateway knows it.
 */
const writeArtists = async (
  documents: DocumentStore,
  { addedArtists, changedArtists, series, removedSeries }: ArtistBatch,
  { isFirst, options: { now } }: ImportPlan,
): Promise<void> => {
  // An artist that was removed may come back with the instant that it had, and other content.
  const addedArtist = (given: InputArtist) => ({
    ...readStored(given),
    ...(!isFirst && { updated_at: new Date(Math.max(given.changedAt, now)) }),
  });
  const replacements = changedArtists.flatMap(({ _id, given, before, withSeries, begunAt, updatedAt }) => {
    if (given === undefined) return [];
    const instant = withSeries ? { updated_at: begunAt, [unfinishedMark]: true } : { updated_at: updatedAt };
    return [{ _id, before, withSeries, document: { ...omit(readStored(given), ['_id']), ...instant } }];
  });
  const first = replacements.filter((one) => one.withSeries);
  const alone = replacements.filter((one) => !one.withSeries);
  const withSeries = changedArtists.filter((change) => change.withSeries);
  const touched = withSeries.filter(({ given }) => given === undefined);
  requireAll(await documents.replace('artists', first), first);
  const marks = touched.map(({ _id, before, begunAt }) => ({
    _id,
    before,
    document: { updated_at: begunAt, [unfinishedMark]: true },
  }));
  requireAll(await documents.update('artists', marks), marks);
  await documents.put('history', series.added.map(readStored));
  await documents.replace('history', replacementsOf(series));
  await documents.remove('history', removedSeries);
  await documents.put('artists', addedArtists.map(addedArtist));
  requireAll(await documents.replace('artists', alone), alone);
  const ends = withSeries.map(({ _id, begunAt, updatedAt }) => ({
    _id,
    before: { updated_at: begunAt },
    document: { updated_at: updatedAt, [unfinishedMark]: undefined },
  }));
  requireAll(await documents.update('artists', ends), ends);
};

/** The collections that an import leaves without documents on purpose: it prunes, and the input's file has none. */
const emptiedCollections = ({ input: { collections, series, labels }, options: { prune } }: ImportPlan): string[] => {
  const documents = { history: series, labels };
  return (['history', 'labels'] as const).filter(
    (name) => prune && collections.has(name) && documents[name].size === 0,
  );
};

/**
 * Writes a plan while it has the lease. An interruption at any point leaves every artist as it was before
 * or after its batch. Removals go last, artists before their series; then the confirmation that a collection is empty.
 */
export const executeImport = async (
  database: DocumentStore,
  plan: ImportPlan,
  onProgress: OnProgress,
  lease: Pick<Lease, 'confirm'>,
): Promise<void> => {
  const { batches, labels, removals, options } = plan;
  const documents = whileLeased(database, lease);
  const total = batches.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  onProgress({ step: 'Writing', done, total });
  await documents.put('labels', labels.added.map(readStored));
  await documents.replace('labels', replacementsOf(labels));
  for (const batch of batches) {
    await writeArtists(documents, batch, plan);
    done += batch.size;
    onProgress({ step: 'Writing', done, total });
  }
  await documents.remove('artists', removals.artists);
  await documents.remove('history', removals.orphanedSeries);
  await documents.remove('labels', removals.labels);
  // Gateways keep the last copy of a collection that is empty all of a sudden, unless an import confirms it.
  const confirmations = emptiedCollections(plan).map((_id) => ({ _id, emptied_at: new Date(options.now) }));
  await documents.put('catalogue_confirmations', confirmations);
};
