import type { Duplex } from 'node:stream';

/** The state of one connection. */
export interface Connection {
  readonly socket: Duplex;
  /** Requests so far. */
  requests: number;
  /** Requests that are being handled or wait. */
  pending: number;
  /** Those of them that wait for an earlier one of the connection. */
  waiting: number;
  /** Whether its socket is not read, because `maxWaiting` requests wait. */
  paused: boolean;
  /** Whether the parser rejected something: nothing after it is a request. */
  broken: boolean;
  /** Whether its last response has begun: later requests are not answered. */
  ending: boolean;
  /** Resolves when everything that was queued is done. */
  done: Promise<void>;
}

/**
 * Pipelined requests that may wait on one connection; beyond it the socket is not read until half
 * of them are answered. One read of a socket brings up to 64 KB, so a connection may exceed it by
 * the requests in them.
 */
const maxWaiting = 100;

/** Those of all connections together; each takes a few kilobytes of memory. */
const maxWaitingOfAll = 5_000;

type Work = () => Promise<void> | void;

const waitsLonger = (one: Connection, other: Connection): Connection =>
  other.waiting > one.waiting ? other : one;

/**
 * The open connections of a server, and the requests that wait on each. Requests of one connection
 * are handled in order, one at a time. Those that waited pass the throttle: without it, a client's
 * pipelined requests would run in one turn of the event loop and hold up all others. When too many
 * wait on all connections, the connection with the most is closed, and `onClose` is called with
 * their number: a client with few keeps being served.
 */
export const createConnections = (
  throttle: () => Promise<void>,
  onClose: (waiting: number) => void,
) => {
  const open = new Map<Duplex, Connection>();
  let waitingOfAll = 0;

  const add = (socket: Duplex): Connection => {
    const connection: Connection = {
      socket,
      requests: 0,
      pending: 0,
      waiting: 0,
      paused: false,
      broken: false,
      ending: false,
      done: Promise.resolve(),
    };
    open.set(socket, connection);
    // Node resumes a socket too, for every request whose body it discards
    socket.on('resume', () => connection.paused && socket.pause());
    socket.once('close', () => {
      open.delete(socket);
      waitingOfAll -= connection.waiting;
    });
    return connection;
  };

  const wait = (connection: Connection): void => {
    connection.waiting += 1;
    waitingOfAll += 1;
    if (connection.waiting >= maxWaiting && !connection.paused) {
      connection.paused = true;
      connection.socket.pause();
    }
  };

  const endWait = (connection: Connection): void => {
    connection.waiting -= 1;
    if (open.has(connection.socket)) waitingOfAll -= 1;
    if (connection.paused && connection.waiting <= maxWaiting / 2) {
      connection.paused = false;
      connection.socket.resume();
    }
  };

  const closeLongest = (): void => {
    const [first, ...others] = open.values();
    if (first === undefined) return;
    const { socket, waiting } = others.reduce(waitsLonger, first);
    if (!socket.destroyed) onClose(waiting);
    socket.destroy();
  };

  const run = async (connection: Connection, waits: boolean, work: Work): Promise<void> => {
    // even if resolved: a parser error right after the request sets `broken` before the work runs
    await connection.done;
    if (waits) {
      if (!connection.socket.destroyed) await throttle();
      endWait(connection);
    }
    await work();
    connection.pending -= 1;
  };

  return {
    /** The state of a socket's connection. */
    of: (socket: Duplex): Connection => open.get(socket) ?? add(socket),
    all: (): Iterable<Connection> => open.values(),
    /** Does work once that of earlier requests is done; work must not reject. */
    enqueue(connection: Connection, work: Work): void {
      const waits = connection.pending > 0;
      if (waits && waitingOfAll >= maxWaitingOfAll) closeLongest();
      if (waits) wait(connection);
      connection.pending += 1;
      connection.done = run(connection, waits, work);
    },
  };
};
