import { type Replacement, type StoredDocument, unfinished } from '../mongodb/import.ts';
import { changedAt, equalDocuments, omit, toStored } from './stored-document.ts';

/**
 * When an artist that differs is said to have changed: as the input tells, if that is after the stored instant. Otherwise
 * now: whoever follows by the instant must see it move, and only forward.
 */
const nextChange = (input: StoredDocument | undefined, stored: StoredDocument, now: number): Date => {
  const before = changedAt(stored);
  const told = input === undefined ? 0 : changedAt(input);
  return new Date(told > before ? told : Math.max(now, before + 1));
};

/** An artist is compared without what an import itself keeps in it. */
const kept = ['_id', 'updated_at', unfinished];

/** What becomes of an artist. */
export type ArtistPlan =
  | { readonly kind: 'created'; readonly document: StoredDocument }
  | ({ readonly kind: 'changed' } & Replacement)
  | { readonly kind: 'touched'; readonly _id: unknown; readonly updatedAt: Date }
  | { readonly kind: 'unchanged' };

/**
 * Decides what becomes of an artist.
 *
 * @param file as the input has it, if it does
 * @param stored as it is stored, if it is
 * @param seriesDiffer whether a series of it is to be written or removed
 * @param now epoch milliseconds
 */
export const planArtist = (
  file: StoredDocument | undefined,
  stored: StoredDocument | undefined,
  seriesDiffer: boolean,
  now: number,
): ArtistPlan => {
  const document = file === undefined ? undefined : omit(toStored(file), [unfinished]);
  if (stored === undefined) return document === undefined ? { kind: 'unchanged' } : { kind: 'created', document };
  const { _id } = stored;
  const updatedAt = nextChange(document, stored, now);
  const differs =
    document !== undefined && (!equalDocuments(document, stored, kept) || changedAt(document) > changedAt(stored));
  if (differs) {
    return { kind: 'changed', _id, document: { ...omit(document, ['_id']), updated_at: updatedAt } };
  }
  return seriesDiffer || unfinished in stored ? { kind: 'touched', _id, updatedAt } : { kind: 'unchanged' };
};
