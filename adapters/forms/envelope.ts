/**
 * An envelope is data: the fields of a response in order. A field may hold a list or an item with
 * its presenter; rendering makes the JSON. A field that is `undefined` is left out.
 */
export type Envelope = Readonly<Record<string, unknown>>;

// `present` is a method, because TypeScript compares parameters of methods loosely: any item fits.
// `list`, `ownList`, `detail` and `streamedList` check that items and presenter match.
// Rendering caches JSON by item and `present` function. So declare `present` once, at module level,
// and let it depend on its arguments only: an inline function defeats the cache.

/** A list whose items need no loading. */
export interface ListMember<Wire> {
  readonly kind: 'list';
  /** True if other lists have the same items. Their JSON is cached per item, otherwise per list. */
  readonly sharesItems: boolean;
  readonly items: readonly object[];
  present(item: object): Wire;
}

interface Loaded {
  /** True if all of the data could be read. */
  readonly complete: boolean;
}

/** An item that is presented with data to load first. */
interface DeferredItem<Item extends object = object, More extends Loaded = Loaded> {
  readonly item: Item;
  /** Rejects if the data cannot be loaded. */
  readonly load: () => Promise<More>;
}

export interface DetailMember<Wire> extends DeferredItem {
  readonly kind: 'detail';
  present(item: object, more: unknown): Wire;
}

/** A list of deferred items. All are loaded before the response begins, and sent one by one. */
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
 * A wire type with every field named, including optional fields: a presenter that omits one does
 * not compile. Maps do not change.
 */
export type EveryMember<Wire> = Wire extends readonly (infer Item)[]
  ? EveryMember<Item>[]
  : Wire extends object
    ? string extends keyof Wire
      ? Wire
      : { [Member in keyof Required<Wire>]: EveryMember<Wire[Member]> }
    : Wire;

/** True if a field is deferred. JSON values contain no function. */
export const isDeferredMember = (value: unknown): value is DeferredMember =>
  typeof value === 'object' &&
  value !== null &&
  'present' in value &&
  typeof value.present === 'function';

/** Items of the catalogue, which other lists share. */
export const list = <Item extends object, Wire extends object>(
  items: readonly Item[],
  present: (item: Item) => Wire,
): ListMember<Wire> => ({ kind: 'list', sharesItems: true, items, present });

/** Items made for this list only. */
export const ownList = <Item extends object, Wire extends object>(
  items: readonly Item[],
  present: (item: Item) => Wire,
): ListMember<Wire> => ({ kind: 'list', sharesItems: false, items, present });

/** An item, presented after its data is loaded. */
export const detail = <Item extends object, More extends Loaded, Wire extends object>(
  { item, load }: DeferredItem<Item, More>,
  present: (item: Item, more: More) => Wire,
): DetailMember<Wire> => ({ kind: 'detail', item, load, present });

/** Items sent one by one, after the data of all items is loaded. */
export const streamedList = <Item extends object, More extends Loaded, Wire extends object>(
  items: readonly DeferredItem<Item, More>[],
  present: (item: Item, more: More) => Wire,
): StreamMember<Wire> => ({ kind: 'stream', items, present });
