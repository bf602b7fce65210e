import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work per turn of the event loop: the process serves no requests. */
const turnMs = 20;

/**
 * Creates a function to await between items of long work: it yields to the event loop every 20 ms.
 * Rejects if the signal is aborted.
 */
export const createTurns = (signal?: AbortSignal): (() => Promise<void>) => {
  let end = performance.now() + turnMs;
  return async () => {
    if (performance.now() < end) return;
    await nextTurn();
    signal?.throwIfAborted();
    end = performance.now() + turnMs;
  };
};
