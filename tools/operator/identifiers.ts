import type { DocumentStore } from '../../adapters/stores/database.ts';
import {
  parseIdentifiers,
  parseLabel,
} from '../../adapters/stores/documents/catalogue-documents.ts';
import type { ArtistIdentifiers } from '../../src/domain/model.ts';
import { orderLabels } from '../../src/domain/order.ts';

interface IdentifierReader {
  readAll(): AsyncIterable<ArtistIdentifiers | undefined>;
  count(): Promise<number>;
}

export const createIdentifierReader = (documents: DocumentStore): IdentifierReader => ({
  async *readAll(): AsyncGenerator<ArtistIdentifiers | undefined> {
    for await (const document of documents.find('artists', { members: ['id'], order: ['id'] })) {
      const parsed = parseIdentifiers(document);
      yield 'model' in parsed ? parsed.model : undefined;
    }
  },
  count: () => documents.count('artists'),
});

/**
 * The names of the stored labels as `_meta.labels_tracked` lists them, and how many documents are
 * unusable: their names are none, or more than a line, which no import writes.
 */
export const readLabelNames = async (
  documents: DocumentStore,
): Promise<{ readonly names: readonly string[]; readonly unusable: number }> => {
  const names: string[] = [];
  let unusable = 0;
  for await (const document of documents.find('labels', { members: ['name', 'aliases'] })) {
    const parsed = parseLabel(document);
    if ('model' in parsed && !/[\r\n]/.test(parsed.model.name)) names.push(parsed.model.name);
    else unusable += 1;
  }
  return { names: orderLabels(names), unusable };
};
