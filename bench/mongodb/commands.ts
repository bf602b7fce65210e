import { type Document, Long } from 'mongodb';
import { matching, projecting } from './query.ts';
import { listOf, type Raw, rawOf, withMember } from './raw.ts';

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

const noIndexes: Document = { ok: 0, code: 26, codeName: 'NamespaceNotFound', errmsg: 'there are no indexes' };

/** A first batch has so many documents if nobody says otherwise; later ones as many as fit. */
const firstBatch = 101;
const batchBytes = 16 * 2 ** 20 - 16_384;

/** Takes the documents of the next batch off the front. */
const takeBatch = (rest: Raw[], max: number): Raw[] => {
  let bytes = 0;
  let count = 0;
  while (count < Math.min(max, rest.length)) {
    bytes += rest[count]?.length ?? 0;
    if (count > 0 && bytes > batchBytes) break;
    count += 1;
  }
  return rest.splice(0, count);
};

/** Answers the gateway's commands. Throws what it does not understand. */
export const createCommands = (collections: Collections): ((command: Document) => Raw) => {
  const open = new Map<string, Raw[]>();
  let cursors = 0;

  const answer = (id: string, rest: Raw[], ns: string, batch: 'firstBatch' | 'nextBatch', max: number): Raw => {
    const documents = listOf(takeBatch(rest, max));
    if (rest.length > 0) open.set(id, rest);
    else open.delete(id);
    const cursor = rawOf({ id: Long.fromString(rest.length > 0 ? id : '0'), ns });
    return withMember(rawOf({ ok: 1 }), 'document', 'cursor', withMember(cursor, 'array', batch, documents));
  };

  const find = ({ find: collection, filter = {}, projection, batchSize = firstBatch, $db }: Document): Raw => {
    cursors += 1;
    const documents = collections.get(collection) ?? [];
    const found = documents.filter(matching(filter)).map(projecting(projection)).map(rawOf);
    return answer(String(cursors), found, `${$db}.${collection}`, 'firstBatch', batchSize);
  };

  const getMore = ({ getMore: id, collection, batchSize = Number.POSITIVE_INFINITY, $db }: Document): Raw => {
    const rest = open.get(String(id));
    if (rest === undefined) throw new Error(`cursor ${id} is not open`);
    return answer(String(id), rest, `${$db}.${collection}`, 'nextBatch', batchSize);
  };

  return (command) => {
    if ('find' in command) return find(command);
    if ('getMore' in command) return getMore(command);
    if ('hello' in command || 'ismaster' in command || 'isMaster' in command) return rawOf(hello);
    if ('listIndexes' in command) return rawOf(noIndexes);
    if ('update' in command) return rawOf({ n: 1, nModified: 1, ok: 1 }); // what the gateway counts is taken and forgotten
    if ('delete' in command) return rawOf({ n: 0, ok: 1 });
    if ('ping' in command || 'endSessions' in command || 'killCursors' in command) return rawOf({ ok: 1 });
    throw new Error(`${Object.keys(command)[0]} is not understood here`);
  };
};
