import type { Duplex } from 'node:stream';

/** Lets what happens on one connection take turns, in the order it came; a turn must not reject. */
export const createTurns = (): ((socket: Duplex, work: () => Promise<void> | void) => void) => {
  const last = new WeakMap<Duplex, Promise<void>>();
  return (socket, work) => {
    last.set(socket, (last.get(socket) ?? Promise.resolve()).then(work));
  };
};

/** Tells whether a request is the last that its connection carries. */
export const createCount = (most: number): ((socket: Duplex) => boolean) => {
  const counts = new WeakMap<Duplex, number>();
  return (socket) => {
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    return count >= most;
  };
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
