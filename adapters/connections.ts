import type { Duplex } from 'node:stream';

/** What is known of one connection. */
export interface Connection {
  /** How many requests it has carried. */
  requests: number;
  /** Whether something came that could not be parsed, so that what follows means nothing. */
  broken: boolean;
  /** Ends when everything before has been done. */
  turn: Promise<void>;
}

/** Remembers connections as long as they last. */
export const createConnections = (): ((socket: Duplex) => Connection) => {
  const known = new WeakMap<Duplex, Connection>();
  return (socket) => {
    let connection = known.get(socket);
    if (connection === undefined) {
      connection = { requests: 0, broken: false, turn: Promise.resolve() };
      known.set(socket, connection);
    }
    return connection;
  };
};

/** Does something after everything before it on the same connection; it must not reject. */
export const inTurn = (connection: Connection, work: () => Promise<void> | void): void => {
  connection.turn = connection.turn.then(work);
};

/** Lets so many go on in each turn of the event loop: a crowd that comes at the same moment keeps nobody else waiting. */
export const createPace = (most: number): (() => Promise<void>) => {
  const waiting: (() => void)[] = [];
  const step = (): void => {
    for (const goOn of waiting.splice(0, most)) goOn();
    if (waiting.length > 0) setImmediate(step);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(step);
    });
};
