import type { DocumentStore, Replacement } from '../stores/database.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import type { InputArtist, OnProgress } from './check-input.ts';
import { type ArtistBatch, type DocumentChanges, readAll } from './compare-artists.ts';
import type { Lease } from './import-lease.ts';
import type { ImportPlan } from './plan-import.ts';
import { asRead, omit, readStored, type StoredVersion, unfinishedMark, writtenBy } from './to-stored.ts';

const replacementsOf = ({ replaced }: DocumentChanges): Replacement[] =>
  replaced.map(({ given, ...stored }) => ({ ...stored, document: omit(readStored(given), ['_id']) }));

/** The documents of one command: what is sent after a confirmation is soon there. */
const maxPerCommand = 200;

/**
 * Writes documents only while this import has the lease, which is confirmed before each command. A command may still arrive after
 * another import has begun. One that changes or removes documents then finds none, because `writtenBy` differs; what one
 * added is taken back as soon as the lease turns out to be lost.
 */
const whileLeased = (documents: DocumentStore, lease: Lease) => {
  let commands = 0;
  let added: { readonly collection: string; readonly run: string } | undefined;
  const confirm = async (): Promise<void> => {
    try {
      await lease.confirm();
    } catch (reason) {
      const late = added && (await readAll(documents, added.collection, { where: { [writtenBy]: [added.run] } }));
      if (added && late) await documents.remove(added.collection, late.map(asRead));
      throw reason;
    }
  };
  const inCommands = async <Item>(
    items: readonly Item[],
    write: (some: readonly Item[], run: string) => Promise<number>,
  ): Promise<number> => {
    let written = 0;
    for (let start = 0; start < items.length; start += maxPerCommand) {
      await confirm();
      added = undefined;
      const some = items.slice(start, start + maxPerCommand);
      commands += 1;
      const count = await write(some, `${lease.token} ${commands}`).catch((reason: unknown) => {
        lease.abandon();
        throw reason;
      });
      if (count < some.length) await confirm();
      written += count;
    }
    return written;
  };
  const change = (write: DocumentStore['replace']) => (collection: string, changes: readonly Replacement[]) =>
    inCommands(changes, (some, run) =>
      write(
        collection,
        some.map((one) => ({ ...one, document: { ...one.document, [writtenBy]: run } })),
      ),
    );
  return {
    confirm,
    replace: change(documents.replace),
    update: change(documents.update),
    add: (collection: string, items: readonly StoredDocument[]) =>
      inCommands(items, (some, run) => {
        added = { collection, run };
        return documents.add(
          collection,
          some.map((one) => ({ ...one, [writtenBy]: run })),
        );
      }),
    remove: (collection: string, removals: readonly StoredVersion[]) =>
      inCommands(removals, async (some) => {
        await documents.remove(collection, some);
        return some.length;
      }),
  };
};

type LeasedWrites = ReturnType<typeof whileLeased>;

/** Raises that somebody else changed documents since they were compared. */
const requireAll = (written: number, { length }: readonly unknown[]): void => {
  if (written < length)
    throw new Error('Stored documents were changed by somebody else meanwhile: this import stopped. Run it again.');
};

/**
 * Writes the changes of some artists. A stored artist is written first, with a mark; then its series; then its last instant of
 * change, which makes gateways reload it. So no gateway, whenever it reads, finds new series of an artist with old data, and
 * after an interruption the mark shows a later import which artists it must still touch. A new artist is written after its
 * series: until then no gateway knows it.
 */
const writeArtists = async (
  documents: LeasedWrites,
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
  requireAll(await documents.add('history', series.added.map(readStored)), series.added);
  requireAll(await documents.replace('history', replacementsOf(series)), series.replaced);
  await documents.remove('history', removedSeries);
  requireAll(await documents.add('artists', addedArtists.map(addedArtist)), addedArtists);
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
  lease: Lease,
): Promise<void> => {
  const { batches, labels, removals, options } = plan;
  const documents = whileLeased(database, lease);
  const total = batches.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  onProgress({ step: 'Writing', done, total });
  requireAll(await documents.add('labels', labels.added.map(readStored)), labels.added);
  requireAll(await documents.replace('labels', replacementsOf(labels)), labels.replaced);
  for (const batch of batches) {
    await writeArtists(documents, batch, plan);
    done += batch.size;
    onProgress({ step: 'Writing', done, total });
  }
  await documents.remove('artists', removals.artists);
  await documents.remove('history', removals.orphanedSeries);
  await documents.remove('labels', removals.labels);
  // Gateways keep the last copy of a collection that is empty all of a sudden, unless an import confirms it.
  for (const _id of emptiedCollections(plan)) {
    const document = { emptied_at: new Date(options.now) };
    const isNew = (await documents.add('catalogue_confirmations', [{ _id, ...document }])) > 0;
    if (!isNew) await documents.update('catalogue_confirmations', [{ _id, document }]);
  }
  await documents.confirm();
};
