/** A document of any collection, as a store holds it. */
export type StoredDocument = Readonly<Record<string, unknown>>;
