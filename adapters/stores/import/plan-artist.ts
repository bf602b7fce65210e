import { type Replacement, type StoredDocument, unfinishedMark } from '../mongodb/import.ts';
import { changedAt, equalDocuments, omit, toStored } from './stored-document.ts';

/**
 * The instant of change to write for an artist that differs: the input's if it is later than the stored one, otherwise now.
 * It only moves forward, because gateways reload an artist when it moves.
 */
const nextChange = (input: StoredDocument | undefined, stored: StoredDocument, now: number): Date => {
  const before = changedAt(stored);
  const given = input === undefined ? 0 : changedAt(input);
  return new Date(given > before ? given : Math.max(now, before + 1));
};

/** Members that an import itself maintains, so they do not count as a difference. */
const maintained = ['_id', 'updated_at', unfinishedMark];

/** The changes of an import to an artist. */
export type ArtistPlan =
  | { readonly kind: 'created'; readonly document: StoredDocument }
  | ({ readonly kind: 'changed' } & Replacement)
  | { readonly kind: 'touched'; readonly _id: unknown; readonly updatedAt: Date }
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
  const updatedAt = nextChange(document, stored, now);
  const differs =
    document !== undefined &&
    (!equalDocuments(document, stored, maintained) || changedAt(document) > changedAt(stored));
  if (differs) return { kind: 'changed', _id, document: { ...omit(document, ['_id']), updated_at: updatedAt } };
  return seriesDiffer || unfinishedMark in stored ? { kind: 'touched', _id, updatedAt } : { kind: 'unchanged' };
};
