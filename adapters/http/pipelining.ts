import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Socket = IncomingMessage['socket'];

/** The state of one open connection. */
export interface Connection {
  readonly socket: Socket;
  /** Requests so far. */
  requests: number;
  /** Requests that are being handled or wait. */
  pending: number;
  /** True if the parser rejected something: nothing after it is a request. */
  broken: boolean;
  /** True if its last response has begun: later requests are ignored. */
  ending: boolean;
  /** Resolves when everything that was queued is done. */
  done: Promise<void>;
}

/** Pipelined requests that may wait on one connection (decisions, "Errors"). */
export const maxWaiting = 16;

type Work = () => Promise<void> | void;

/**
 * The open connections of a server. Requests of one connection are handled in order, one at a time.
 * `onOverflow` is called for each connection that is closed because too many of its requests wait.
 */
export const createConnections = (onOverflow: () => void) => {
  const open = new Map<object, Connection>();

  const run = async (connection: Connection, waits: boolean, work: Work): Promise<void> => {
    // even if resolved: a parser error right after the request sets `broken` before the work runs
    await connection.done;
    // pipelined requests of one connection would otherwise delay those of others
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
     * Does work when that of earlier requests is done; work must not reject. Closes the connection
     * instead if too many requests wait.
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
