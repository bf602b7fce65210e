import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Document, Long } from 'mongodb';
import { freePort } from '../../test/support/ports.ts';
import { stopWithRow } from '../process/started.ts';
import { createReader, writeAnswer } from './wire.ts';

/** The filters and projections of the gateway and its peer. Any other throws. */
const accepting = (condition: unknown): ((value: unknown) => boolean) => {
  if (typeof condition !== 'object' || condition === null) return (value) => value === condition;
  const [[operator, operand] = [], ...others] = Object.entries(condition);
  if (operator === '$in' && Array.isArray(operand) && others.length === 0) {
    const values = new Set<unknown>(operand);
    return (value) => values.has(value);
  }
  if (operator === '$gte' && typeof operand === 'string' && others.length === 0)
    return (value) => typeof value === 'string' && value >= operand;
  throw new Error(`${JSON.stringify(condition)} is not understood here`);
};

const matching = (filter: Document): ((document: Document) => boolean) => {
  const conditions = Object.entries(filter).map(([member, condition]) => ({
    member,
    accepts: accepting(condition),
  }));
  return (document) => conditions.every(({ member, accepts }) => accepts(document[member] ?? null));
};

const project = (value: unknown, wanted: unknown): unknown => {
  if (wanted === 1) return value;
  // of the two kinds of projection that are known here
  const { $slice: count } = wanted as Document;
  if (!(count < 0) || !Array.isArray(value)) throw new Error('$slice takes from the end');
  return value.slice(count);
};

const projecting = (projection: Document): ((document: Document) => Document) => {
  const members = Object.entries({ _id: 1, ...projection });
  return (document) =>
    Object.fromEntries(
      members.flatMap(([member, wanted]) =>
        member in document ? [[member, project(document[member], wanted)]] : [],
      ),
    );
};

/** Documents by collection, each in the order of `_id`. */
type Collections = ReadonlyMap<string, readonly Document[]>;

/** The default size of a first batch. */
const firstBatch = 101;

/** Answers the gateway's commands, by name. */
const createCommands = (
  collections: Collections,
): Readonly<Record<string, (command: Document) => Document>> => {
  const open = new Map<number, Document[]>();
  let cursors = 0;

  const takeBatch = (
    id: number,
    rest: Document[],
    ns: string,
    name: string,
    size = rest.length,
  ): Document => {
    const batch = rest.splice(0, size);
    if (rest.length > 0) open.set(id, rest);
    else open.delete(id);
    return { cursor: { id: Long.fromNumber(rest.length > 0 ? id : 0), ns, [name]: batch }, ok: 1 };
  };

  return {
    find({ find: collection, filter = {}, projection, batchSize = firstBatch, limit, $db }) {
      const found = (collections.get(collection) ?? []).filter(matching(filter)).slice(0, limit);
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
    listIndexes: () => ({
      ok: 0,
      code: 26,
      codeName: 'NamespaceNotFound',
      errmsg: 'there are no indexes',
    }),
    update: () => ({ n: 1, nModified: 1, ok: 1 }), // what the gateway counts is taken and forgotten
    delete: () => ({ n: 0, ok: 1 }),
    ping: () => ({ ok: 1 }),
    endSessions: () => ({ ok: 1 }),
    killCursors: () => ({ ok: 1 }),
  };
};

/**
 * A server that stands in for MongoDB: it answers the gateway's driver from memory, so that runs
 * measure the gateway, not a database. With a real MongoDB, a start and a refresh are slower.
 */
export const startStandIn = async (collections: Collections) => {
  // a driver may continue a cursor on another connection
  let commands = createCommands(collections);
  const answer = (command: Document): Document => {
    const [name = ''] = Object.keys(command);
    try {
      const perform = commands[name];
      if (perform === undefined) throw new Error(`${name} is not understood here`);
      return perform(command);
    } catch (failure) {
      // A refusal, as MongoDB says it: the gateway's log then tells which command was not
      // understood.
      return { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: String(failure) };
    }
  };
  const sockets = new Set<Socket>();
  const sent = { commands: 0, bytes: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const read = createReader();
    socket.on('data', (bytes) => {
      for (const message of read(bytes)) {
        const written = writeAnswer(message, answer(message.command));
        sent.commands += 1;
        sent.bytes += written.length;
        socket.write(written);
      }
    });
    socket.on('error', () => {}); // the gateway was stopped
  });
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  stopWithRow(close);
  const port = await freePort();
  const listen = () => once(server.listen(port, '127.0.0.1'), 'listening');
  await listen();
  return {
    url: `mongodb://127.0.0.1:${port}/bench?directConnection=true`,
    /** Open connections, and answered commands. */
    traffic: () => ({ connections: sockets.size, ...sent }),
    /** Closes all connections and cursors, as a restarted server does, and returns after `ms`. */
    async restart(ms: number): Promise<void> {
      const closed = close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await wait(ms);
      commands = createCommands(collections);
      await listen();
    },
  };
};
