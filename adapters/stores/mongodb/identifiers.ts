import type { Db } from 'mongodb';
import type { ArtistIdentifiers } from '../../../src/domain/model.ts';
import type { IdentifierReader } from '../../../src/ports.ts';
import { parseIdentifiers } from '../documents/catalogue-documents.ts';

/** Documents per reply of the server, and so the maximum in memory at once. */
const batchSize = 1_000;

/** Identifiers of the artists in MongoDB. */
export const createMongoIdentifiers = (db: Db): IdentifierReader => {
  const artists = db.collection('artists');
  return {
    async *readAll(): AsyncGenerator<ArtistIdentifiers | undefined> {
      for await (const document of artists.find({}, { projection: { _id: 1, id: 1 }, sort: { id: 1 }, batchSize })) {
        const parsed = parseIdentifiers(document);
        yield 'model' in parsed ? parsed.model : undefined;
      }
    },
    count: () => artists.estimatedDocumentCount(),
  };
};
