import type { DocumentFault } from '../domain/document-fault.ts';
import type { Artist } from '../domain/model.ts';
import type { CatalogueContents, CatalogueSource, Log } from '../ports.ts';
import { createFaultLog } from '../runtime/fault-log.ts';
import { type Catalogue, type CatalogueParts, createCatalogue } from './catalogue.ts';
import { createSnapshot } from './snapshot.ts';

const noArtists: DocumentFault = {
  event: 'collection empty, not ready',
  collection: 'artists',
  document: 'all',
  reason: 'there is no artist',
};

const withoutArtists = ({ artists, faults }: CatalogueContents): boolean =>
  artists.length === 0 && faults.every(({ collection }) => collection !== 'artists');

/**
 * Creates the load functions of the catalogue. `load` returns the previous catalogue if the source
 * has nothing new, else a catalogue of a new snapshot; it rejects if the source does. `recall`
 * returns the catalogue of an earlier process. Both log the faults of documents.
 */
export const createCatalogueLoader = (source: CatalogueSource, parts: CatalogueParts, log: Log) => {
  const logFaults = createFaultLog(log);
  const incomplete = new WeakSet<Artist>();
  const build = async (contents: CatalogueContents, previous?: Catalogue): Promise<Catalogue> => {
    const isUnchanged = previous?.snapshot.contents === contents;
    const snapshot = isUnchanged
      ? previous.snapshot
      : await createSnapshot(contents, previous?.snapshot);
    logFaults(withoutArtists(contents) ? [...snapshot.faults, noArtists] : snapshot.faults);
    return isUnchanged ? previous : createCatalogue(snapshot, parts, incomplete);
  };
  return {
    load: async (previous: Catalogue | undefined): Promise<Catalogue> =>
      build(await source.load(), previous),
    async recall() {
      const copy = await source.recall?.();
      return copy && { value: await build(copy.contents), age: copy.age };
    },
  };
};
