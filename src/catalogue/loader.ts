import type { CatalogueSource, Log, RejectedDocument } from '../ports.ts';
import { runYielding } from '../runtime/cooperative.ts';
import { type Catalogue, type CatalogueParts, createCatalogue } from './catalogue.ts';
import { snapshotSteps } from './snapshot.ts';

/** Reports each rejection when it begins, not at every turn while it lasts. */
const createReport = (log: Log): ((rejected: readonly RejectedDocument[]) => void) => {
  let known = new Set<string>();
  return (rejected) => {
    const texts = rejected.map((rejection) => JSON.stringify(rejection));
    for (const [place, rejection] of rejected.entries()) {
      if (!known.has(texts[place] ?? '')) log.warn({ ...rejection }, 'document left out');
    }
    known = new Set(texts);
  };
};

/**
 * How a follower gets its next catalogue: the same one while the source has nothing new, a new one over a new snapshot
 * when it has. A document that is left out is reported when that begins. A source that is suddenly empty is believed to be
 * at fault: the last catalogue stays, and the log says so at every turn until an artist appears.
 */
export const createCatalogueLoader = (source: CatalogueSource, parts: CatalogueParts, log: Log) => {
  const report = createReport(log);
  return async (previous: Catalogue | undefined): Promise<Catalogue> => {
    const contents = await source.load();
    if (previous !== undefined && previous.snapshot.contents === contents) return previous;
    if (previous !== undefined && previous.snapshot.listed.length > 0 && contents.artists.length === 0) {
      report(contents.rejected);
      log.error({ kept: previous.snapshot.listed.length }, 'the collection of artists is empty: the last copy is kept');
      return previous;
    }
    const snapshot = await runYielding(snapshotSteps(contents, previous?.snapshot));
    report(snapshot.rejected);
    return createCatalogue(snapshot, parts);
  };
};
