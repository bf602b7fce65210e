import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects the young objects, and with them the buffers that nobody holds: 1 to 3 ms. */
type CollectYoung = (options: { readonly type: 'minor' }) => void;

/** Node gives a collector only to a context that is created after this flag. */
const openCollector = (): CollectYoung => {
  setFlagsFromString('--expose-gc');
  const collect: CollectYoung = runInNewContext('gc');
  return collect;
};

/** Bytes of buffers that may wait for a collection. */
const maxWaiting = 5 * 2 ** 20;

/**
 * Creates a counter of bytes that were needed for a moment, as a history while it is rendered; it collects the young objects
 * after every 5 MB. V8 by itself counts the bytes of buffers towards full collections only: they wait for one otherwise, which
 * reads the whole heap.
 */
export const createGarbageCounter = (): ((bytes: number) => void) => {
  let collect: CollectYoung | undefined;
  let waiting = 0;
  return (bytes) => {
    waiting += bytes;
    if (waiting < maxWaiting) return;
    waiting = 0;
    collect ??= openCollector();
    collect({ type: 'minor' });
  };
};
