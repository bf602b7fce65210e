import { type Db, MongoServerError } from 'mongodb';
import { isMisspelt } from '../../../src/domain/nearest.ts';

/** The databases that the user may see; none where it may list none, or the server does not know the command. */
const namesOf = async (db: Db): Promise<readonly string[]> => {
  try {
    const { databases } = await db.admin().listDatabases({ nameOnly: true, authorizedDatabases: true });
    return databases.map(({ name }) => name);
  } catch (error) {
    if (error instanceof MongoServerError) return [];
    throw error;
  }
};

const holds = async (db: Db, collection: string): Promise<boolean> =>
  (await db.collection(collection).findOne({}, { projection: { _id: 1 } })) !== null;

/** Databases of the same server that have artists or keys, and whose names differ from this one's by a letter. */
export const findSimilarDatabases = async (db: Db): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const name of await namesOf(db)) {
    if (!isMisspelt(db.databaseName, name)) continue;
    const other = db.client.db(name);
    if ((await holds(other, 'artists')) || (await holds(other, 'api_keys'))) found.push(name);
  }
  return found;
};
