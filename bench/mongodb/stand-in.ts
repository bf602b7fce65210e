import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Document, Long } from 'mongodb';
import { freePort } from '../../test/support/ports.ts';
import { stopWithRow } from '../process/started.ts';
import { matching, projecting } from './query.ts';
import { createReader, writeAnswer } from './wire.ts';

/** Documents by collection, each in the order of `_id`. */
type Collections = ReadonlyMap<string, readonly Document[]>;

/** Documents of a first batch, if nobody says otherwise. */
const firstBatch = 101;

/** Answers the gateway's commands. Throws what it does not understand. */
const createCommands = (collections: Collections): ((command: Document) => Document) => {
  const open = new Map<number, Document[]>();
  let cursors = 0;

  const takeBatch = (id: number, rest: Document[], ns: string, name: string, size = rest.length): Document => {
    const batch = rest.splice(0, size);
    if (rest.length > 0) open.set(id, rest);
    else open.delete(id);
    return { cursor: { id: Long.fromNumber(rest.length > 0 ? id : 0), ns, [name]: batch }, ok: 1 };
  };

  const answers: Readonly<Record<string, (command: Document) => Document>> = {
    find({ find: collection, filter = {}, projection, batchSize = firstBatch, $db }) {
      const found = (collections.get(collection) ?? []).filter(matching(filter));
      const documents = projection === undefined ? found : found.map(projecting(projection));
      cursors += 1;
      return takeBatch(cursors, documents, `${$db}.${collection}`, 'firstBatch', batchSize);
    },
    getMore({ getMore: id, collection, batchSize, $db }) {
      const rest = open.get(id);
      if (rest === undefined) throw new Error(`cursor ${id} is not open`);
      return takeBatch(id, rest, `${$db}.${collection}`, 'nextBatch', batchSize);
    },
    ismaster: () => ({ ismaster: true, minWireVersion: 0, maxWireVersion: 21, ok: 1 }),
    listIndexes: () => ({ ok: 0, code: 26, codeName: 'NamespaceNotFound', errmsg: 'there are no indexes' }),
    update: () => ({ n: 1, nModified: 1, ok: 1 }), // what the gateway counts is taken and forgotten
    delete: () => ({ n: 0, ok: 1 }),
    ping: () => ({ ok: 1 }),
    endSessions: () => ({ ok: 1 }),
    killCursors: () => ({ ok: 1 }),
  };
  return (command) => {
    const [name = ''] = Object.keys(command);
    const answer = answers[name];
    if (answer === undefined) throw new Error(`${name} is not understood here`);
    return answer(command);
  };
};

/**
 * Stands in for MongoDB: the gateway's real driver asks it over the wire, and it answers what the gateway asks at once,
 * out of memory. So what is measured is the gateway and not a database. It runs in the bench's own process, off the core
 * of what is measured, and is no mongod: where a real one is slower, so is the start and a refresh.
 */
export const startStandIn = async (collections: Collections): Promise<string> => {
  const perform = createCommands(collections); // a cursor is read on over whatever connection is free
  const answer = (command: Document): Document => {
    try {
      return perform(command);
    } catch (failure) {
      // A refusal, as MongoDB says it: the gateway's log then tells which question was not understood.
      return { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: String(failure) };
    }
  };
  const server = createServer((socket) => {
    const read = createReader();
    socket.on('data', (bytes) => {
      for (const question of read(bytes)) socket.write(writeAnswer(question, answer(question.command)));
    });
    socket.on('error', () => {}); // the gateway was stopped
  });
  stopWithRow(() => new Promise((resolve) => server.close(() => resolve())));
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `mongodb://127.0.0.1:${port}/bench?directConnection=true`;
};
