/** Items that share a key: at least one. */
export type Group<Item> = [Item, ...Item[]];

/**
 * Groups items by key. Keys are in the order of their first item, and items of a group in the order
 * given.
 */
export const groupBy = <Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, Group<Item>> => {
  const groups = new Map<Key, Group<Item>>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

/** Yields items in the order given, at most `size` at a time. */
export function* inBatches<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
