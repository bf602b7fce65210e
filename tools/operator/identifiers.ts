import type { DocumentStore } from '../../adapters/stores/database.ts';
import { parseIdentifiers } from '../../adapters/stores/documents/catalogue-documents.ts';
import type { ArtistIdentifiers } from '../../src/domain/model.ts';
import type { IdentifierReader } from '../../src/ports.ts';

/** Identifiers of the stored artists. */
export const createIdentifierReader = (documents: DocumentStore): IdentifierReader => ({
  async *readAll(): AsyncGenerator<ArtistIdentifiers | undefined> {
    for await (const document of documents.find('artists', { members: ['id'], order: ['id'] })) {
      const parsed = parseIdentifiers(document);
      yield 'model' in parsed ? parsed.model : undefined;
    }
  },
  count: () => documents.count('artists'),
});
