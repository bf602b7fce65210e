/** Which document identifier belongs to which stable one. */
export interface IdPairs {
  documentIdOf(id: string): string | undefined;
  /** Remembers a pair that was found, unless one of the two is known already: then the known pair is what counts. */
  add(id: string, documentId: string): void;
}

/** Starts with the pairs that are known; where there are none, they are learned from the answers. */
export const createIdPairs = (known: readonly { readonly current: string; readonly variant: string }[]): IdPairs => {
  const byId = new Map(known.map(({ current, variant }) => [current, variant]));
  const taken = new Set(byId.values());
  return {
    documentIdOf: (id) => byId.get(id),
    add(id, documentId) {
      if (byId.has(id) || taken.has(documentId)) return;
      byId.set(id, documentId);
      taken.add(documentId);
    },
  };
};
