import type { StoredDocument } from '../stores/documents/stored-document.ts';
import type { InputArtist, InputDocument } from './check-input.ts';
import type { CatalogueCollection } from './input-files.ts';
import { changedAt, digestOf, unfinishedMark } from './stored-document.ts';

/** Numbers of documents of a collection, by what an import does to them. */
export interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  /** Artists of which only the instant of change is written, because a series of theirs changed. */
  readonly touched: number;
  readonly unchanged: number;
  readonly removed: number;
}

export const noCounts: ImportCounts = { created: 0, changed: 0, touched: 0, unchanged: 0, removed: 0 };

export const sumCounts = (left: ImportCounts, right: ImportCounts): ImportCounts => ({
  created: left.created + right.created,
  changed: left.changed + right.changed,
  touched: left.touched + right.touched,
  unchanged: left.unchanged + right.unchanged,
  removed: left.removed + right.removed,
});

/** The documents of one collection to write. */
export interface DocumentChanges<Given extends InputDocument = InputDocument> {
  readonly added: readonly Given[];
  /** Each with the `_id` of the stored document that it replaces. */
  readonly replaced: readonly { readonly _id: unknown; readonly given: Given }[];
  readonly counts: ImportCounts;
}

/** Compares documents of the input with the stored documents that have the same key. */
export const compareDocuments = <Given extends InputDocument>(
  collection: CatalogueCollection,
  input: readonly Given[],
  stored: readonly StoredDocument[],
  keyOf: (document: StoredDocument) => string,
): DocumentChanges<Given> => {
  const storedByKey = new Map(stored.map((document) => [keyOf(document), document]));
  const added = input.filter(({ key }) => !storedByKey.has(key));
  const replaced = input.flatMap((given) => {
    const before = storedByKey.get(given.key);
    return before === undefined || digestOf(collection, before) === given.digest ? [] : [{ _id: before['_id'], given }];
  });
  const unchanged = input.length - added.length - replaced.length;
  return { added, replaced, counts: { ...noCounts, created: added.length, changed: replaced.length, unchanged } };
};

/** What an import does to a stored artist. */
export interface ArtistChange {
  readonly _id: unknown;
  /** Its new document, unless only its series change. */
  readonly given: InputArtist | undefined;
  /** Whether series of it are written or removed, by this import or by one that was interrupted. */
  readonly withSeries: boolean;
  /**
   * The instants of change to write before its series, and after them. The last is the input's if it is later than the stored
   * one, otherwise now. They only move forward, because gateways reload an artist when they move.
   */
  readonly begunAt: Date;
  readonly updatedAt: Date;
}

/** Compares an artist with the stored one; `undefined` when nothing changes. `now` is in epoch milliseconds. */
export const compareArtist = (
  input: InputArtist | undefined,
  stored: StoredDocument,
  seriesDiffer: boolean,
  now: number,
): ArtistChange | undefined => {
  const [given, before] = [input?.changedAt ?? 0, changedAt(stored)];
  const differs = input !== undefined && (given > before || input.digest !== digestOf('artists', stored));
  if (!differs && !seriesDiffer && !(unfinishedMark in stored)) return undefined;
  return {
    _id: stored['_id'],
    given: differs ? input : undefined,
    withSeries: seriesDiffer || !differs,
    begunAt: new Date(before + 1),
    updatedAt: new Date(Math.max(given > before ? given : now, before + 2)),
  };
};
