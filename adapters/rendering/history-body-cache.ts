import { LRUCache } from 'lru-cache';
import type { BodyCache, CachedJson, DeferredItem } from './cached-json.ts';
import { type DeflatedSegment, deflateSegment, inflateSegment } from './gzip/deflated-segment.ts';

/** Kept in memory, in bytes: all of it deflated, and the last ones that were sent as they are. */
const mostPackedBytes = 32 * 1024 * 1024;
const mostPlainBytes = 8 * 1024 * 1024;

/** What one presenter showed of items with what had to be read first. */
const createShelf = () => {
  const packs = new LRUCache<object, DeflatedSegment>({
    maxSize: mostPackedBytes,
    sizeCalculation: ({ blocks }) => blocks.length,
  });
  const plains = new LRUCache<object, Buffer>({ maxSize: mostPlainBytes, sizeCalculation: ({ length }) => length });
  const running = new Map<object, Promise<DeflatedSegment>>();

  const make = async <Item extends object, More>(
    { item, read }: DeferredItem<Item, More>,
    present: (item: Item, more: More) => object,
  ): Promise<DeflatedSegment> => {
    const text = Buffer.from(JSON.stringify(present(item, await read())));
    const packed = await deflateSegment(text);
    packs.set(item, packed);
    plains.set(item, text);
    return packed;
  };

  const textOf = (item: object, packed: DeflatedSegment): CachedJson => ({
    length: packed.length,
    chunks() {
      const text = plains.get(item) ?? inflateSegment(packed);
      plains.set(item, text);
      return [text];
    },
    deflated: () => packed,
  });

  return async <Item extends object, More>(
    reading: DeferredItem<Item, More>,
    present: (item: Item, more: More) => object,
  ): Promise<CachedJson> => {
    const { item } = reading;
    const packed = packs.get(item);
    if (packed !== undefined) return textOf(item, packed);
    const made = running.get(item) ?? make(reading, present).finally(() => running.delete(item));
    running.set(item, made);
    return textOf(item, await made);
  };
};

/**
 * Keeps texts that something has to be read for, in bounded room: an artist with a long history is half a megabyte. Known
 * by the item's identity, which changes when the artist does. Whoever asks for the same at the same time shares one reading.
 */
export const createHistoryBodyCache = (): BodyCache['reading'] => {
  const shelves = new Map<unknown, ReturnType<typeof createShelf>>();
  return (reading, present) => {
    const shelf = shelves.get(present) ?? createShelf();
    shelves.set(present, shelf);
    return shelf(reading, present);
  };
};
