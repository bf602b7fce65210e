import { LRUCache } from 'lru-cache';
import type { Log } from '../../src/ports.ts';
import { type DeflatedSegment, deflateSegment } from './gzip/deflated-segment.ts';

/** Deflated lists kept in memory, in bytes. */
const mostBytes = 32 * 1024 * 1024;

/** So many are deflated at the same time: threads are needed for other things too. */
const mostAtOnce = 2;

/**
 * Deflated texts, those that were asked for lately. Nobody waits for one: it is made in the background when it is first
 * asked for and there is room, and is there when it is asked for again.
 */
export const createDeflateCache = (log: Log) => {
  const kept = new LRUCache<symbol, DeflatedSegment>({
    maxSize: mostBytes,
    sizeCalculation: ({ blocks }) => blocks.length + 1,
  });
  const running = new Set<symbol>();

  const make = (id: symbol, text: Buffer): void => {
    running.add(id);
    deflateSegment(text)
      .then((packed) => kept.set(id, packed))
      .catch((err: unknown) => log.error({ err }, 'text not deflated'))
      .finally(() => running.delete(id));
  };

  return {
    /** Where to ask for a text, deflated. */
    of(text: () => Buffer): () => DeflatedSegment | undefined {
      const id = Symbol('text'); // keeps nothing else alive
      return () => {
        const packed = kept.get(id);
        if (packed === undefined && running.size < mostAtOnce && !running.has(id)) make(id, text());
        return packed;
      };
    },
  };
};
