import { primariesOf, type RedisClient } from './connection.ts';

/**
 * Makes what is written to Redis in one turn of the event loop leave in one piece, at the turn's end: when many requests come
 * at once, most of what a command costs is its system call. To be called before a command.
 */
export const createGathering = (client: RedisClient): (() => void) => {
  let isGathering = false;
  return () => {
    if (isGathering) return;
    isGathering = true;
    // A connection has no stream while it is down.
    const streams = primariesOf(client).flatMap(({ stream }) => stream ?? []);
    for (const stream of streams) stream.cork();
    setImmediate(() => {
      isGathering = false;
      for (const stream of streams) stream.uncork();
    });
  };
};
