/**
 * Stands in for mongodump and mongorestore: `mongo-archive.mjs dump|restore --config=FILE … --gzip --archive=FILE`, for the collections
 * of COLLECTIONS (jongodb cannot list them). The file has a line `uri: URL`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BSON, MongoClient } from 'mongodb';

const [, , action, ...options] = process.argv;
const optionOf = (name) => options.find((option) => option.startsWith(name)).slice(name.length);
/** True if `--nsInclude=DB.NAME` names a collection and `--nsExclude=DB.NAME` does not. */
const isNamed = (name) => {
  const has = (option) =>
    options.some((given) => [`${option}=gateway.${name}`, `${option}=gateway.*`].includes(given));
  return has('--nsInclude') && !has('--nsExclude');
};
const file = optionOf('--archive=');
const client = new MongoClient(
  readFileSync(optionOf('--config='), 'utf8').replace('uri: ', '').trim(),
);
const db = client.db();
if (action === 'dump') {
  const names = new Set(process.env.COLLECTIONS.split(','));
  const all = await Promise.all(
    [...names].map(async (name) => [name, await db.collection(name).find().toArray()]),
  );
  writeFileSync(file, gzipSync(BSON.EJSON.stringify(all, { relaxed: false })));
} else {
  for (const [name, documents] of BSON.EJSON.parse(gunzipSync(readFileSync(file)).toString(), {
    relaxed: false,
  }))
    if (isNamed(name) && documents.length > 0) await db.collection(name).insertMany(documents);
}
await client.close();
