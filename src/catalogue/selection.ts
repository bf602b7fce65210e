import { addDays } from '../domain/day.ts';
import type { Artist } from '../domain/model.ts';
import type { Position } from '../domain/order.ts';
import { Problem } from '../domain/problem.ts';
import { foldCase } from './name-index.ts';
import { earliestDay, type Filters, type Viewer } from './questions.ts';
import { firstWhere, indexAfter, indexBefore, type Snapshot } from './snapshot.ts';

/** A page of artists, before disclosure, and whether there are more after it. */
export interface Selection {
  readonly artists: readonly Artist[];
  readonly more: boolean;
}

function* rangeOf(from: number, to: number): Iterable<number> {
  for (let index = from; index < to; index++) yield index;
}

/** The part of some ascending indexes that is in the range. */
function* inRange(indexes: readonly number[], from: number, to: number): Iterable<number> {
  for (let at = firstWhere(indexes, (index) => index >= from); at < indexes.length; at++) {
    const index = indexes[at];
    if (index === undefined || index >= to) return;
    yield index;
  }
}

/** Intersects ascending indexes with a name search; each side skips ahead to where the other continues. */
function* namedAmong(
  indexes: readonly number[],
  { names }: Snapshot,
  text: string,
  from: number,
  to: number,
): Iterable<number> {
  let next = from;
  for (;;) {
    const [index] = inRange(indexes, next, to);
    if (index === undefined) return;
    const [named] = names.search(text, index, to);
    if (named === undefined) return;
    if (named === index) yield index;
    next = named === index ? index + 1 : named;
  }
}

const single = (index: number | undefined): readonly number[] => (index === undefined ? [] : [index]);

/** Candidates from the most selective index that the filters allow. `passes` checks every filter again. */
const candidates = (snapshot: Snapshot, filters: Filters, from: number, to: number): Iterable<number> => {
  if (filters.nothing) return [];
  if (filters.documentId !== undefined) return inRange(single(snapshot.byDocumentId.get(filters.documentId)), from, to);
  if (filters.id !== undefined) return inRange(single(snapshot.byId.get(filters.id)), from, to);
  const ofTier = filters.tier === undefined ? undefined : (snapshot.byTier.get(filters.tier) ?? []);
  if (filters.name !== undefined && ofTier !== undefined) return namedAmong(ofTier, snapshot, filters.name, from, to);
  if (filters.name !== undefined) return snapshot.names.search(filters.name, from, to);
  if (ofTier !== undefined) return inRange(ofTier, from, to);
  return rangeOf(from, to);
};

/** The problem of an unknown identifier, which may be an artist's other one. */
export const noSuchArtist = (isOtherIdentifier: boolean): Problem =>
  new Problem(
    'not-found',
    isOtherIdentifier
      ? 'No artist has this id here: it is the identifier that the other form uses.'
      : 'No artist has this id.',
  );

/** Checks the filters that the range of indexes does not already decide. */
const passes = ({ folded }: Snapshot, filters: Filters): ((artist: Artist, index: number) => boolean) => {
  const { id, documentId, tier, signed } = filters;
  const name = filters.name === undefined ? undefined : foldCase(filters.name);
  return (artist, index) =>
    (id === undefined || artist.id === id) &&
    (documentId === undefined || artist.documentId === documentId) &&
    (tier === undefined || artist.tier === tier) &&
    (signed === undefined || (artist.signing.status === 'signed') === signed) &&
    (name === undefined || folded[index]?.includes(name) === true);
};

/**
 * Selects up to `limit` artists that pass the filters, in list order, starting after `after`.
 * Raises `not-found` for an unknown document id.
 */
export const select = (
  snapshot: Snapshot,
  filters: Filters,
  viewer: Viewer,
  limit: number,
  after?: Position,
): Selection => {
  if (filters.documentId !== undefined && !snapshot.byDocumentId.has(filters.documentId)) {
    throw noSuchArtist(snapshot.byId.has(filters.documentId));
  }
  const since = earliestDay(filters, viewer.today);
  const afterPosition = after === undefined ? 0 : indexAfter(snapshot, after);
  // A window of days ends today: an artist that is to be added later is in none yet.
  const afterToday = filters.addedWithinDays === undefined ? 0 : indexBefore(snapshot, addDays(viewer.today, 1));
  const from = Math.max(afterPosition, afterToday);
  const to = since === undefined ? snapshot.listed.length : indexBefore(snapshot, since);
  const matches = passes(snapshot, filters);
  const artists: Artist[] = [];
  for (const index of candidates(snapshot, filters, from, to)) {
    const artist = snapshot.listed[index]?.artist;
    if (artist === undefined || !matches(artist, index)) continue;
    if (artists.length === limit) return { artists, more: true };
    artists.push(artist);
  }
  return { artists, more: false };
};
