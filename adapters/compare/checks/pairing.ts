/** Items of two lists that belong together, by their places; `undefined` where one has no partner. */
export interface PlacePair {
  readonly current: number | undefined;
  readonly variant: number | undefined;
}

const takeFirst = (places: Map<string, number[]>, identity: string): number | undefined => {
  const list = places.get(identity);
  return list?.shift();
};

const placesByIdentity = (identities: readonly string[], free: readonly boolean[]): Map<string, number[]> => {
  const places = new Map<string, number[]>();
  for (const [place, identity] of identities.entries()) {
    if (!free[place]) continue;
    const list = places.get(identity) ?? [];
    places.set(identity, [...list, place]);
  }
  return places;
};

/** Pairs what is left over by position, so that a changed identity shows as one difference and not as two lost items. */
const pairLeftOvers = (partners: (number | undefined)[], free: boolean[]): void => {
  for (const [place, partner] of partners.entries()) {
    if (partner !== undefined || !free[place]) continue;
    partners[place] = place;
    free[place] = false;
  }
};

/**
 * Pairs the items of two lists by position and identity: at the same place with the same identity first, then the same
 * identity anywhere, then the same place. In the order of the current list, what only the variant list has at the end.
 */
export const pairPlaces = (current: readonly string[], variant: readonly string[]): readonly PlacePair[] => {
  const partners: (number | undefined)[] = current.map((identity, place) =>
    variant[place] === identity ? place : undefined,
  );
  const free = variant.map((_, place) => partners[place] === undefined);
  const elsewhere = placesByIdentity(variant, free);
  for (const [place, identity] of current.entries()) {
    if (partners[place] !== undefined) continue;
    const found = takeFirst(elsewhere, identity);
    if (found === undefined) continue;
    partners[place] = found;
    free[found] = false;
  }
  pairLeftOvers(partners, free);
  const lost = variant.flatMap((_, place) => (free[place] ? [{ current: undefined, variant: place }] : []));
  return [...partners.map((partner, place) => ({ current: place, variant: partner })), ...lost];
};

/** The first pair that stands before its predecessor in the variant list: where the order of the two lists parts. */
export const firstDisorder = (pairs: readonly PlacePair[]): PlacePair | undefined => {
  let highest = -1;
  for (const pair of pairs) {
    if (pair.current === undefined || pair.variant === undefined) continue;
    if (pair.variant < highest) return pair;
    highest = pair.variant;
  }
  return undefined;
};
