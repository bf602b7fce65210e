import { BSON, type Document, Long } from 'mongodb';
import { matching, projecting } from './query.ts';

/** Documents by collection, each in the order of `_id`. */
export type Collections = ReadonlyMap<string, readonly Document[]>;

const hello: Document = {
  ismaster: true,
  isWritablePrimary: true,
  helloOk: true,
  maxBsonObjectSize: 16 * 2 ** 20,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 21,
  readOnly: true,
  ok: 1,
};

/** A first batch has so many documents if nobody says otherwise; later ones as many as fit. */
const firstBatch = 101;
const batchBytes = 16 * 2 ** 20 - 16_384;

/** Takes the documents of the next batch off the front. */
const takeBatch = (rest: Document[], most: number): Document[] => {
  let bytes = 0;
  let count = 0;
  while (count < Math.min(most, rest.length)) {
    bytes += BSON.calculateObjectSize(rest[count] ?? {});
    if (count > 0 && bytes > batchBytes) break;
    count += 1;
  }
  return rest.splice(0, count);
};

/** Answers the gateway's commands. Throws what it does not understand. */
export const createCommands = (collections: Collections): ((command: Document) => Document) => {
  const open = new Map<string, Document[]>();
  let cursors = 0;

  const answer = (id: string, rest: Document[], ns: string, batch: 'firstBatch' | 'nextBatch', most: number) => {
    const documents = takeBatch(rest, most);
    if (rest.length > 0) open.set(id, rest);
    else open.delete(id);
    return { cursor: { id: Long.fromString(rest.length > 0 ? id : '0'), ns, [batch]: documents }, ok: 1 };
  };

  const find = ({ find: collection, filter = {}, projection, batchSize = firstBatch, $db }: Document): Document => {
    cursors += 1;
    const documents = collections.get(collection) ?? [];
    const found = documents.filter(matching(filter)).map(projecting(projection));
    return answer(String(cursors), found, `${$db}.${collection}`, 'firstBatch', batchSize);
  };

  const getMore = ({ getMore: id, collection, batchSize = Number.POSITIVE_INFINITY, $db }: Document): Document =>
    answer(String(id), open.get(String(id)) ?? [], `${$db}.${collection}`, 'nextBatch', batchSize);

  return (command) => {
    if ('hello' in command || 'ismaster' in command || 'isMaster' in command) return hello;
    if ('find' in command) return find(command);
    if ('getMore' in command) return getMore(command);
    if ('listIndexes' in command) return { ok: 0, code: 26, codeName: 'NamespaceNotFound', errmsg: 'no indexes here' };
    if ('update' in command) return { n: 1, nModified: 1, ok: 1 }; // what the gateway counts is taken and forgotten
    if ('ping' in command || 'endSessions' in command || 'killCursors' in command) return { ok: 1 };
    throw new Error(`${Object.keys(command)[0]} is not understood here`);
  };
};
