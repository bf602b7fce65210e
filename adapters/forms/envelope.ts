/**
 * An envelope is data: the members of a response in order. A member may stand for a list or an item
 * together with the function that presents it; rendering makes the JSON. A member that is
 * `undefined` is left out.
 */
export type Envelope = Readonly<Record<string, unknown>>;

// `present` is a method so that TypeScript drops the item's type: `list`, `ownList`,
// `detail` and `streamedList` check that items and presenter fit each other.
//
// Rendering caches JSON by item and by the function `present`. So `present` must be declared once,
// at module level, and must depend on its arguments alone: an inline function would be a new one
// for each answer, and defeat the cache.

/** A list whose items need no load. */
export interface ListMember<Wire> {
  readonly kind: 'list';
  /** True if other lists have the same items: their JSON is cached by item, else that of the list. */
  readonly sharesItems: boolean;
  readonly items: readonly object[];
  present(item: object): Wire;
}

/** Data that is loaded. */
interface Loaded {
  /** True if all of it could be read. */
  readonly complete: boolean;
}

/** An item that is presented with data that has to be loaded first. */
interface DeferredItem<Item extends object = object, More extends Loaded = Loaded> {
  readonly item: Item;
  /** Rejects when the data cannot be loaded. */
  readonly load: () => Promise<More>;
}

/** One such item. */
export interface DetailMember<Wire> extends DeferredItem {
  readonly kind: 'detail';
  present(item: object, more: unknown): Wire;
}

/** A list of such items: all are loaded before the response begins, and sent one by one. */
export interface StreamMember<Wire> {
  readonly kind: 'stream';
  readonly items: readonly DeferredItem[];
  present(item: object, more: unknown): Wire;
}

export type DeferredMember<Wire = unknown> =
  | ListMember<Wire>
  | DetailMember<Wire>
  | StreamMember<Wire>;

/** The envelope that renders to `Wire`: a list or object in it may be a deferred member. */
export type EnvelopeOf<Wire> = {
  readonly [Member in keyof Wire]:
    | Wire[Member]
    | (Wire[Member] extends readonly (infer Item)[]
        ? ListMember<Item> | StreamMember<Item>
        : DetailMember<Wire[Member]>);
};

/**
 * A wire with every member named, those that may be absent too: a presenter that forgets one does
 * not compile. Maps stay as they are.
 */
export type EveryMember<Wire> = Wire extends readonly (infer Item)[]
  ? EveryMember<Item>[]
  : Wire extends object
    ? string extends keyof Wire
      ? Wire
      : { [Member in keyof Required<Wire>]: EveryMember<Wire[Member]> }
    : Wire;

/** True if a member is deferred: JSON values contain no function. */
export const isDeferredMember = (value: unknown): value is DeferredMember =>
  typeof value === 'object' &&
  value !== null &&
  'present' in value &&
  typeof value.present === 'function';

/** Items of the catalogue, which other lists have too. */
export const list = <Item extends object, Wire extends object>(
  items: readonly Item[],
  present: (item: Item) => Wire,
): ListMember<Wire> => ({ kind: 'list', sharesItems: true, items, present });

/** Items that were made for this list. */
export const ownList = <Item extends object, Wire extends object>(
  items: readonly Item[],
  present: (item: Item) => Wire,
): ListMember<Wire> => ({ kind: 'list', sharesItems: false, items, present });

/** An item, presented once its data is loaded. */
export const detail = <Item extends object, More extends Loaded, Wire extends object>(
  { item, load }: DeferredItem<Item, More>,
  present: (item: Item, more: More) => Wire,
): DetailMember<Wire> => ({ kind: 'detail', item, load, present });

/** Items that are presented once the data of all is loaded, and sent one by one. */
export const streamedList = <Item extends object, More extends Loaded, Wire extends object>(
  items: readonly DeferredItem<Item, More>[],
  present: (item: Item, more: More) => Wire,
): StreamMember<Wire> => ({ kind: 'stream', items, present });
