import type { Db } from 'mongodb';
import { type Identifiers, parseIdentifiers } from '../documents/catalogue-documents.ts';
import type { Parsed } from '../documents/parse-result.ts';

/** Documents asked for at once. */
const batchSize = 1_000;

/** Both identifiers of every artist, by the stable one; no more than a few are in memory. */
export async function* readIdentifiers(db: Db): AsyncGenerator<Parsed<Identifiers>> {
  const documents = db.collection('artists').find({}, { projection: { _id: 1, id: 1 }, sort: { id: 1 }, batchSize });
  for await (const document of documents) yield parseIdentifiers(document);
}

/** How many artists are stored, about. */
export const countArtists = (db: Db): Promise<number> => db.collection('artists').estimatedDocumentCount();
