import { LRUCache } from 'lru-cache';

// All caches are made of these three, except two of `stores/mongodb/histories.ts`. Each call is
// preceded by a comment that states its bound, key and lifetime; docs/contributing.md says how to
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
 * What an entry takes besides its own bytes: key, value, the objects of a buffer, the lists of the
 * LRU. Measured with 200,000 entries: 540 to 640 bytes of resident memory each.
 */
export const entryBytes = 600;

/**
 * Caches values up to `bound` bytes together. `bytesOf` are all bytes that only the value keeps in
 * memory: for a buffer those of the block that it is a part of. Each entry counts `entryBytes`
 * more. A value is freed with its key: the order of use refers to keys weakly, and what it counts
 * for a key that is gone is dropped like the rest.
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
      if (held !== undefined) sizes.get(held.ref); // it is the last that was used
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
    /** Bytes held now, at most. */
    bytes: (): number => sizes.calculatedSize,
  };
};
