import { type Catalogue, type CatalogueParts, createCatalogue } from './catalogue.ts';
import type { CatalogueSource, Log, Rejection } from './ports.ts';
import { buildSnapshot } from './snapshot.ts';

const describe = (rejection: Rejection): string => JSON.stringify(rejection);

/**
 * How a follower gets its next catalogue: the same one while the source has nothing new, a new one over a new snapshot
 * when it has. A document that is left out is reported when that begins. A source that is suddenly empty is believed to be at fault: the
 * last catalogue stays, and the log says so at every turn until an artist appears.
 */
export const createCatalogueLoader =
  (source: CatalogueSource, parts: CatalogueParts, log: Log) =>
  async (previous: Catalogue | undefined): Promise<Catalogue> => {
    const contents = await source.load();
    if (previous !== undefined && previous.snapshot.contents === contents) return previous;
    if (previous !== undefined && previous.snapshot.listed.length > 0 && contents.artists.length === 0) {
      log.error({ kept: previous.snapshot.listed.length }, 'the collection of artists is empty: the last copy is kept');
      return previous;
    }
    const snapshot = buildSnapshot(contents, previous?.snapshot);
    const reported = new Set(previous?.snapshot.rejected.map(describe));
    for (const rejection of snapshot.rejected) {
      if (!reported.has(describe(rejection))) log.warn({ ...rejection }, 'document left out');
    }
    return createCatalogue(snapshot, parts);
  };
