import type { Duplex } from 'node:stream';

/** What is known of one connection. */
export interface Connection {
  readonly socket: Duplex;
  /** How many requests it has carried. */
  requests: number;
  /** How many things that came on it are not done yet. */
  pending: number;
  /** Whether something came that could not be parsed, so that what follows means nothing. */
  broken: boolean;
  /** Whether its last answer has been begun: what comes behind is not answered any more. */
  ending: boolean;
  /** Ends when everything before has been done. */
  turn: Promise<void>;
}

/** Remembers connections as long as they last. */
export const createConnections = (): ((socket: Duplex) => Connection) => {
  const known = new WeakMap<Duplex, Connection>();
  return (socket) => {
    let connection = known.get(socket);
    if (connection === undefined) {
      connection = { socket, requests: 0, pending: 0, broken: false, ending: false, turn: Promise.resolve() };
      known.set(socket, connection);
    }
    return connection;
  };
};

/** Lets so many go on in each turn of the event loop: a crowd that comes at the same moment keeps nobody else waiting. */
export const createThrottle = (most: number): (() => Promise<void>) => {
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

type Work = () => Promise<void> | void;

export interface ConnectionQueueOptions {
  readonly throttle: () => Promise<void>;
  /** How much may wait behind other work, on all connections together. */
  readonly maxQueued: number;
  /** Told of a connection on which more came than may wait; what came is not done. */
  readonly onExcess: (connection: Connection) => void;
}

/**
 * Lets what comes on one connection take turns, in the order it came; work must not reject. What comes before its turn goes on
 * at the pace: done in one go, what a client has sent ahead would keep the event loop from everybody else.
 */
export const createConnectionQueue = ({ throttle, maxQueued, onExcess }: ConnectionQueueOptions) => {
  let behind = 0;
  const take = async (connection: Connection, isBehind: boolean, work: Work): Promise<void> => {
    await connection.turn; // though it may have ended long ago: a fault right behind what came is noticed before its turn
    if (isBehind) {
      if (!connection.socket.destroyed) await throttle();
      behind -= 1;
    }
    await work();
    connection.pending -= 1;
  };
  return (connection: Connection, work: Work): void => {
    const isBehind = connection.pending > 0;
    if (isBehind && behind >= maxQueued) {
      onExcess(connection);
      return;
    }
    if (isBehind) behind += 1;
    connection.pending += 1;
    connection.turn = take(connection, isBehind, work);
  };
};
