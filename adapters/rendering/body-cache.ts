import { LRUCache } from 'lru-cache';
import type { Log } from '../../src/ports.ts';
import type { BodyCache, CachedJson } from './cached-json.ts';
import { createDeflateCache } from './deflate-cache.ts';
import { createHistoryBodyCache } from './history-body-cache.ts';
import { totalLength } from './render-envelope.ts';

/** One value for each presenter and item, as long as the item lives. */
const createKept = <Item extends object, Value>() => {
  const byPresenter = new Map<unknown, WeakMap<Item, Value>>();
  return (item: Item, present: unknown, make: () => Value): Value => {
    const kept = byPresenter.get(present) ?? new WeakMap<Item, Value>();
    byPresenter.set(present, kept);
    let value = kept.get(item);
    if (value === undefined) {
      value = make();
      kept.set(item, value);
    }
    return value;
  };
};

/** Lists that stand in one piece, in bytes. */
const mostJoinedBytes = 16 * 1024 * 1024;

/**
 * Lists that are asked for again stand in one piece: to write one costs much less than to write fifty. A list that is asked
 * for once, as by somebody who reads the whole catalogue, is not worth the copy.
 */
const createJoined = () => {
  const kept = new LRUCache<symbol, Buffer>({ maxSize: mostJoinedBytes, sizeCalculation: ({ length }) => length || 1 });
  return (chunks: readonly Buffer[]): (() => readonly Buffer[]) => {
    const id = Symbol('list'); // keeps nothing else alive
    let isKnown = false;
    return () => {
      const whole = kept.get(id);
      if (whole !== undefined) return [whole];
      if (chunks.length < 2 || !isKnown) {
        isKnown = true;
        return chunks;
      }
      const joined = Buffer.concat(chunks);
      kept.set(id, joined);
      return [joined];
    };
  };
};

/**
 * Text in bytes of its own, which go when it does. `Buffer.from` would take them from pieces of eight kilobytes: a fifth of
 * each stays empty, and all of it stays while one of its texts is kept.
 */
const ownBytes = (text: string): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
};

/** Every text but the last ends in its comma, so that a list is nothing but its texts in a row. */
const withoutLastComma = (chunks: Buffer[]): Buffer[] => {
  const last = chunks.pop();
  return last === undefined ? [] : [...chunks, last.subarray(0, -1)];
};

/**
 * Keeps JSON text by presenter and by the item's identity: it is made once for each form and each way of seeing an artist,
 * and goes when the artist does. A list is known by its own identity: the same answer, given again, costs nothing.
 */
export const createBodyCache = (log: Log): BodyCache => {
  const texts = createKept<object, Buffer>();
  const lists = createKept<readonly object[], CachedJson>();
  const packs = createDeflateCache(log);
  const join = createJoined();
  const reading = createHistoryBodyCache();

  return {
    list: (items, present) =>
      lists(items, present, () => {
        const write = (item: (typeof items)[number]) => () => ownBytes(`${JSON.stringify(present(item))},`);
        const chunks = withoutLastComma(items.map((item) => texts(item, present, write(item))));
        return { length: totalLength(chunks), chunks: join(chunks), deflated: packs.of(() => Buffer.concat(chunks)) };
      }),
    reading,
  };
};
