import type { Duplex } from 'node:stream';

/** The state of one connection. */
export interface Connection {
  readonly socket: Duplex;
  /** Requests so far. */
  requests: number;
  /** Requests that are queued or being handled. */
  pending: number;
  /** Whether the parser rejected something: nothing after it is a request. */
  broken: boolean;
  /** Whether its last response has begun: later requests are not answered. */
  ending: boolean;
  /** Resolves when everything that was queued is done. */
  done: Promise<void>;
}

/** The open connections of a server. */
export const createConnections = () => {
  const open = new Map<Duplex, Connection>();
  return {
    /** The state of a socket's connection. */
    of(socket: Duplex): Connection {
      let connection = open.get(socket);
      if (connection === undefined) {
        connection = {
          socket,
          requests: 0,
          pending: 0,
          broken: false,
          ending: false,
          done: Promise.resolve(),
        };
        open.set(socket, connection);
        socket.once('close', () => open.delete(socket));
      }
      return connection;
    },
    all: (): Iterable<Connection> => open.values(),
  };
};

type Work = () => Promise<void> | void;

interface ConnectionQueueOptions {
  readonly throttle: () => Promise<void>;
  /** Work that may be queued on all connections together. */
  readonly maxQueued: number;
  /** Called with the connection whose work exceeds `maxQueued`; that work is dropped. */
  readonly onExcess: (connection: Connection) => void;
}

/**
 * Creates a queue that runs the work of one connection in order, one at a time; work must not
 * reject. Queued work passes the throttle: without it, a client's pipelined requests would run in
 * one turn of the event loop and hold up all others.
 */
export const createConnectionQueue = ({
  throttle,
  maxQueued,
  onExcess,
}: ConnectionQueueOptions) => {
  let queued = 0;
  const run = async (connection: Connection, isQueued: boolean, work: Work): Promise<void> => {
    // even if resolved: a parser error right after the request sets `broken` before the work runs
    await connection.done;
    if (isQueued) {
      if (!connection.socket.destroyed) await throttle();
      queued -= 1;
    }
    await work();
    connection.pending -= 1;
  };
  return (connection: Connection, work: Work): void => {
    const isQueued = connection.pending > 0;
    if (isQueued && queued >= maxQueued) {
      onExcess(connection);
      return;
    }
    if (isQueued) queued += 1;
    connection.pending += 1;
    connection.done = run(connection, isQueued, work);
  };
};
