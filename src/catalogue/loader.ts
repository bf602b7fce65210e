import type { CatalogueSource, Log, RejectedDocument } from '../ports.ts';
import { runYielding } from '../runtime/cooperative.ts';
import { type Catalogue, type CatalogueParts, createCatalogue } from './catalogue.ts';
import { snapshotSteps } from './snapshot.ts';

/** Logs each rejected document once, on the first load that rejects it. */
const createRejectionLog = (log: Log): ((rejected: readonly RejectedDocument[]) => void) => {
  let known = new Set<string>();
  return (rejected) => {
    const texts = rejected.map((document) => JSON.stringify(document));
    for (const [index, document] of rejected.entries()) {
      if (!known.has(texts[index] ?? '')) log.warn({ ...document }, 'document left out');
    }
    known = new Set(texts);
  };
};

/**
 * Creates the load function of the catalogue's follower: it returns the previous catalogue when the source has nothing new,
 * else a catalogue over a new snapshot. When the artists are suddenly gone it keeps the previous catalogue and logs an error
 * on every load until an artist appears (decisions, "Freshness and caching"). Rejects when the source does.
 */
export const createCatalogueLoader = (source: CatalogueSource, parts: CatalogueParts, log: Log) => {
  const logRejected = createRejectionLog(log);
  return async (previous: Catalogue | undefined): Promise<Catalogue> => {
    const contents = await source.load();
    if (previous !== undefined && previous.snapshot.contents === contents) return previous;
    if (previous !== undefined && previous.snapshot.listed.length > 0 && contents.artists.length === 0) {
      logRejected(contents.rejected);
      log.error({ kept: previous.snapshot.listed.length }, 'artists collection empty, serving the last copy');
      return previous;
    }
    const snapshot = await runYielding(snapshotSteps(contents, previous?.snapshot));
    logRejected(snapshot.rejected);
    return createCatalogue(snapshot, parts);
  };
};
