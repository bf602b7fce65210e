import { LRUCache } from 'lru-cache';

/** Values by name, for each owner as long as it lives: so many at most, the ones asked for last. What is thrown is not kept. */
export const scopedLru = <Owner extends object, Value extends object>(most: number) => {
  const byOwner = new WeakMap<Owner, LRUCache<string, Value>>();
  return (owner: Owner, name: string, make: () => Value): Value => {
    const known = byOwner.get(owner) ?? new LRUCache<string, Value>({ max: most });
    byOwner.set(owner, known);
    const found = known.get(name);
    if (found !== undefined) return found;
    const made = make();
    known.set(name, made);
    return made;
  };
};
