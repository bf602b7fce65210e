import { LRUCache } from 'lru-cache';

// All caches are made of these three, except two of `stores/mongodb/histories.ts`. Each call is
// preceded by a comment that states its bound, key and lifetime; docs/contributing.md shows how to
// measure what a cache buys.

/**
 * The value of an owner and a key; calls `make` when there is none yet. What `make` throws is not
 * cached.
 */
type Memo<Owner extends object, Key, Value> = (owner: Owner, make: () => Value, key?: Key) => Value;

/**
 * Caches one value for each owner and key, as long as the owner lives. Keys are never dropped: use
 * a small closed set.
 */
export const weakMemo = <Owner extends object, Value extends object, Key = undefined>(): Memo<
  Owner,
  Key,
  Value
> => {
  const byKey = new Map<Key | undefined, WeakMap<Owner, Value>>();
  return (owner, make, key) => {
    let byOwner = byKey.get(key);
    if (byOwner === undefined) {
      byOwner = new WeakMap();
      byKey.set(key, byOwner);
    }
    let value = byOwner.get(owner);
    if (value === undefined) {
      value = make();
      byOwner.set(owner, value);
    }
    return value;
  };
};

/**
 * Caches up to `max` values for each owner, as long as the owner lives; drops the least recently
 * used value, and a promise that rejects.
 */
export const scopedLru = <Owner extends object, Value extends object>(
  max: number,
): Memo<Owner, string, Value> => {
  const byOwner = new WeakMap<Owner, LRUCache<string, Value>>();
  return (owner, make, key = '') => {
    const values = byOwner.get(owner) ?? new LRUCache({ max });
    byOwner.set(owner, values);
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = make();
    values.set(key, value);
    if (value instanceof Promise)
      value.catch(() => values.peek(key) === value && values.delete(key));
    return value;
  };
};

/**
 * Memory of an entry in addition to its bytes: key, value, buffer objects, LRU lists. Measured with
 * 200,000 entries: 540 to 640 bytes of resident memory each.
 */
export const entryBytes = 600;

/**
 * Caches values up to `bound` bytes in total. `bytesOf` returns all bytes that only the value keeps
 * in memory: for a buffer, its whole allocation block. Each entry counts `entryBytes` more. A value
 * is freed with its key; its count is dropped later, by LRU order.
 */
export const byteLru = <Value extends object>(bound: number, bytesOf: (value: Value) => number) => {
  const values = new WeakMap<object, { readonly ref: WeakRef<object>; readonly value: Value }>();
  const sizes = new LRUCache<WeakRef<object>, number>({
    maxSize: bound,
    sizeCalculation: (bytes) => bytes,
    noDisposeOnSet: true,
    dispose: (_bytes, ref) => void values.delete(ref.deref() ?? {}),
  });
  return {
    get(key: object): Value | undefined {
      const held = values.get(key);
      if (held !== undefined) sizes.get(held.ref); // marks it as the most recently used
      return held?.value;
    },
    /**
     * Drops the least recently used values until the value fits; a value larger than the whole
     * bound is not cached.
     */
    set(key: object, value: Value): void {
      const ref = values.get(key)?.ref ?? new WeakRef(key);
      values.set(key, { ref, value });
      sizes.set(ref, entryBytes + bytesOf(value));
      if (!sizes.has(ref)) values.delete(key);
    },
    /** Bytes in use. Values that were freed with their keys may still count. */
    bytes: (): number => sizes.calculatedSize,
  };
};
