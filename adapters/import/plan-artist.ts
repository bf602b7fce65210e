import type { StoredDocument } from '../stores/documents/stored-document.ts';
import { type Replacement, type SeriesChange, unfinishedMark } from '../stores/mongodb/import.ts';
import { changedAt, equalDocuments, omit, toStored } from './stored-document.ts';

/**
 * The instants of change to write for an artist that differs, before its series and after them. The last is the input's if it
 * is later than the stored one, otherwise now. They only move forward, because gateways reload an artist when they move.
 */
const nextChanges = (
  input: StoredDocument | undefined,
  stored: StoredDocument,
  now: number,
): Pick<SeriesChange, 'begunAt' | 'updatedAt'> => {
  const before = changedAt(stored);
  const given = input === undefined ? 0 : changedAt(input);
  return { begunAt: new Date(before + 1), updatedAt: new Date(Math.max(given > before ? given : now, before + 2)) };
};

/** Members that an import itself maintains, so they do not count as a difference. */
const maintained = ['_id', 'updated_at', unfinishedMark];

/** The changes of an import to an artist. */
export type ArtistPlan =
  | { readonly kind: 'created'; readonly document: StoredDocument }
  | ({ readonly kind: 'changed'; readonly seriesDiffer: boolean } & SeriesChange & Replacement)
  | ({ readonly kind: 'touched' } & SeriesChange)
  | { readonly kind: 'unchanged' };

/**
 * Decides what an import does to an artist.
 *
 * @param input the artist's document in the input, if there is one
 * @param stored the stored document, if there is one
 * @param seriesDiffer whether a series of the artist is written or removed
 * @param now epoch milliseconds
 */
export const planArtist = (
  input: StoredDocument | undefined,
  stored: StoredDocument | undefined,
  seriesDiffer: boolean,
  now: number,
): ArtistPlan => {
  const document = input === undefined ? undefined : omit(toStored(input), [unfinishedMark]);
  if (stored === undefined) return document === undefined ? { kind: 'unchanged' } : { kind: 'created', document };
  const { _id } = stored;
  const change = { _id, ...nextChanges(document, stored, now) };
  const differs =
    document !== undefined &&
    (!equalDocuments(document, stored, maintained) || changedAt(document) > changedAt(stored));
  if (differs) {
    const changed = { ...omit(document, ['_id']), updated_at: change.updatedAt };
    return { kind: 'changed', seriesDiffer, ...change, document: changed };
  }
  return seriesDiffer || unfinishedMark in stored ? { kind: 'touched', ...change } : { kind: 'unchanged' };
};
