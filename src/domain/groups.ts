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
