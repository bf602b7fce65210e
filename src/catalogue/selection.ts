import { addDays, type Day } from '../domain/day.ts';
import type { FilterName, Filters, FilterValues } from '../domain/filters.ts';
import type { Artist } from '../domain/model.ts';
import { firstWhere, type Position } from '../domain/order.ts';
import { Problem } from '../domain/problem.ts';
import { foldCase } from './name-index.ts';
import type { Viewer } from './queries.ts';
import { indexAfter, indexBefore, type Snapshot } from './snapshot.ts';

/** A page of artists, before redaction. `more` is true if artists follow. */
interface Selection {
  readonly artists: readonly Artist[];
  readonly more: boolean;
}

function* rangeOf(from: number, to: number): Iterable<number> {
  for (let index = from; index < to; index++) yield index;
}

/** The ascending indexes that are in the range. */
function* inRange(indexes: readonly number[], from: number, to: number): Iterable<number> {
  for (let at = firstWhere(indexes, (index) => index >= from); at < indexes.length; at++) {
    const index = indexes[at];
    if (index === undefined || index >= to) return;
    yield index;
  }
}

const single = (index: number | undefined): readonly number[] =>
  index === undefined ? [] : [index];

/**
 * Returns candidates from one index of a set filter. All filters are then checked for each
 * candidate.
 */
const candidates = (
  snapshot: Snapshot,
  filters: Filters,
  from: number,
  to: number,
): Iterable<number> => {
  if (filters.nothing) return [];
  if (filters.documentId !== undefined)
    return inRange(single(snapshot.byDocumentId.get(filters.documentId)), from, to);
  if (filters.id !== undefined) return inRange(single(snapshot.byId.get(filters.id)), from, to);
  if (filters.tier !== undefined) return inRange(snapshot.byTier.get(filters.tier) ?? [], from, to);
  if (filters.name !== undefined) return snapshot.names.search(filters.name, from, to);
  return rangeOf(from, to);
};

/** The problem of an unknown identifier, which may be the artist's other identifier. */
export const noSuchArtist = (isOtherIdentifier: boolean): Problem =>
  new Problem(
    'not-found',
    isOtherIdentifier
      ? 'No artist has this id here: it is the identifier that the other form uses.'
      : 'No artist has this id.',
  );

/** True if an artist passes; `index` is its index in the list. */
type Check = (artist: Artist, index: number) => boolean;

const rules: {
  readonly [Name in FilterName]: (
    value: FilterValues[Name],
    snapshot: Snapshot,
    today: Day,
  ) => Check;
} = {
  id: (id) => (artist) => artist.id === id,
  documentId: (documentId) => (artist) => artist.documentId === documentId,
  name(text, { folded }) {
    const sought = foldCase(text);
    return (_artist, index) => folded[index]?.includes(sought) === true;
  },
  tier: (tier) => (artist) => artist.tier === tier,
  addedSince: (day) => (artist) => artist.dateAdded !== undefined && artist.dateAdded >= day,
  addedWithinDays(days, _snapshot, today) {
    const since = addDays(today, -days);
    return ({ dateAdded }) => dateAdded !== undefined && dateAdded >= since && dateAdded <= today;
  },
  signed: (signed) => (artist) => (artist.signing.status === 'signed') === signed,
  nothing: (nothing) => () => !nothing,
};

// `Object.keys` loses the types of the names.
export const filterNames = Object.keys(rules) as readonly FilterName[];

const checksOf = (filters: Filters, snapshot: Snapshot, today: Day): readonly Check[] => {
  const checkOf = <Name extends FilterName>(name: Name): readonly Check[] => {
    const value = filters[name];
    return value === undefined ? [] : [rules[name](value, snapshot, today)];
  };
  return filterNames.flatMap((name) => checkOf(name));
};

/** The end of the index range of artists added since a day. */
const endOf = (
  snapshot: Snapshot,
  { addedSince, addedWithinDays }: Filters,
  today: Day,
): number => {
  const bySince =
    addedSince === undefined ? snapshot.listed.length : indexBefore(snapshot, addedSince);
  if (addedWithinDays === undefined) return bySince;
  return Math.min(bySince, indexBefore(snapshot, addDays(today, -addedWithinDays)));
};

/**
 * Selects up to `limit` artists that pass the filters, in list order, starting after `after`.
 * Raises `not-found` for an unknown document id.
 */
export const select = (
  snapshot: Snapshot,
  filters: Filters,
  { today }: Viewer,
  limit: number,
  after?: Position,
): Selection => {
  if (filters.documentId !== undefined && !snapshot.byDocumentId.has(filters.documentId)) {
    throw noSuchArtist(snapshot.byId.has(filters.documentId));
  }
  const from = after === undefined ? 0 : indexAfter(snapshot, after);
  const to = endOf(snapshot, filters, today);
  const checks = checksOf(filters, snapshot, today);
  const artists: Artist[] = [];
  for (const index of candidates(snapshot, filters, from, to)) {
    const artist = snapshot.listed[index]?.artist;
    if (artist === undefined || !checks.every((passes) => passes(artist, index))) continue;
    if (artists.length === limit) return { artists, more: true };
    artists.push(artist);
  }
  return { artists, more: false };
};
