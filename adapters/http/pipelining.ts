import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Socket = IncomingMessage['socket'];

/** The state of one open connection. */
export interface Connection {
  readonly socket: Socket;
  /** Requests received so far. */
  requests: number;
  /** Requests that are being handled or are queued. */
  pending: number;
  /** True if the parser rejected something. Later input is not a request. */
  broken: boolean;
  /** True if the last response has begun. Later requests are ignored. */
  ending: boolean;
  /** Resolves when all queued work is done. */
  done: Promise<void>;
}

/** Maximum queue of pipelined requests per connection (decisions, "Errors"). */
export const maxWaiting = 16;

type Work = () => Promise<void> | void;

/**
 * Creates the registry of a server's open connections. Requests of a connection are handled in
 * order. Calls `onOverflow` for each connection that is closed because too many requests are
 * queued.
 */
export const createConnections = (onOverflow: () => void) => {
  const open = new Map<object, Connection>();

  const run = async (connection: Connection, waits: boolean, work: Work): Promise<void> => {
    // Even if resolved: a parser error right after the request sets `broken` before the work runs.
    await connection.done;
    // Without this, a connection's pipelined requests delay the requests of other connections.
    if (waits && !connection.socket.destroyed) await nextTurn();
    await work();
    connection.pending -= 1;
  };

  return {
    add(socket: Socket): void {
      const done = Promise.resolve();
      open.set(socket, {
        socket,
        requests: 0,
        pending: 0,
        broken: false,
        ending: false,
        done,
      });
      socket.once('close', () => open.delete(socket));
    },
    /** The connection of a socket; `undefined` if it is closed. */
    of: (socket: object): Connection | undefined => open.get(socket),
    all: (): Iterable<Connection> => open.values(),
    /**
     * Runs work after the connection's earlier requests. Work must not reject. Closes the
     * connection instead if too many requests are queued.
     */
    enqueue(connection: Connection, work: Work): void {
      if (connection.pending > maxWaiting) {
        onOverflow();
        connection.socket.destroy();
        return;
      }
      connection.done = run(connection, connection.pending > 0, work);
      connection.pending += 1;
    },
  };
};
