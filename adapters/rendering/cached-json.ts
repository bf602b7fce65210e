import type { DeflatedSegment } from './gzip/deflated-segment.ts';

/** JSON text that is kept ready to be sent. */
export interface CachedJson {
  /** In bytes. */
  readonly length: number;
  chunks(): readonly Buffer[];
  /** The same, deflated; `undefined` while that is not at hand. */
  deflated(): DeflatedSegment | undefined;
}

/** An item that is shown together with something that has to be read first. */
export interface DeferredItem<Item, More> {
  readonly item: Item;
  readonly read: () => Promise<More>;
}

/** Keeps the JSON text of items as a presenter shows them: what did not change is not written down again. */
export interface BodyCache {
  /** The items of a list, separated by commas. */
  list<Item extends object>(items: readonly Item[], present: (item: Item) => object): CachedJson;
  /** Rejects when what has to be read first cannot be. */
  reading<Item extends object, More>(
    reading: DeferredItem<Item, More>,
    present: (item: Item, more: More) => object,
  ): Promise<CachedJson>;
}

/** What stands between the brackets: there already, read first, or read one by one while the response is sent. */
export type Pieces = CachedJson | Promise<CachedJson> | AsyncIterable<CachedJson>;
