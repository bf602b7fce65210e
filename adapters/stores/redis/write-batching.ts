import { primariesOf, type RedisClient } from './connection.ts';

/**
 * So many commands leave together at most. Each piece is a system call; but while Redis is at one piece the next is made, and
 * were all of a crowd's commands to leave as one, this process would have nothing to do until Redis is through with all.
 */
const mostTogether = 32;

/**
 * Makes what is written to Redis in one turn of the event loop leave in few pieces, the last at the turn's end: when many
 * requests come at once, most of what a command costs is its system call. To be called before a command.
 */
export const createWriteBatcher = (client: RedisClient): (() => void) => {
  let gathered = 0;
  let release = (): void => {};

  /** Holds back what is written from now on. Returns what lets it go: a connection has no stream while it is down. */
  const hold = (): (() => void) => {
    const streams = primariesOf(client).flatMap(({ stream }) => stream ?? []);
    for (const stream of streams) stream.cork();
    return () => {
      for (const stream of streams) stream.uncork();
    };
  };

  return () => {
    if (gathered === 0) {
      setImmediate(() => {
        gathered = 0;
        release();
      });
    }
    if (gathered % mostTogether === 0) {
      if (gathered > 0) release();
      release = hold();
    }
    gathered += 1;
  };
};
