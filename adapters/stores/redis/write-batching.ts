import { primariesOf, type RedisClient } from './connection.ts';

/**
 * Commands per write. Every write is a system call; but with one write for all commands of a burst
 * the gateway would be idle while Redis executes them, and Redis while the gateway encodes them.
 */
const maxBatch = 32;

/**
 * Creates a function to be called before every command: it corks the sockets, so that the commands
 * of one turn of the event loop leave in batches, the last at the end of the turn. In a burst most
 * of a command's cost is its system call.
 */
export const createWriteBatcher = (client: RedisClient): (() => void) => {
  let batched = 0;
  let uncork = (): void => {};

  /**
   * Corks every socket (a connection that is down has none) and returns a function that uncorks
   * them.
   */
  const cork = (): (() => void) => {
    const streams = primariesOf(client).flatMap(({ stream }) => stream ?? []);
    for (const stream of streams) stream.cork();
    return () => {
      for (const stream of streams) stream.uncork();
    };
  };

  return () => {
    if (batched === 0) {
      setImmediate(() => {
        batched = 0;
        uncork();
      });
    }
    if (batched % maxBatch === 0) {
      if (batched > 0) uncork();
      uncork = cork();
    }
    batched += 1;
  };
};
