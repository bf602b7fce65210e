import { addDays, type Day } from '../domain/day.ts';
import type { FilterName, Filters, FilterValues } from '../domain/filters.ts';
import type { Artist } from '../domain/model.ts';
import type { Position } from '../domain/order.ts';
import { Problem } from '../domain/problem.ts';
import { foldCase } from './name-index.ts';
import type { Viewer } from './questions.ts';
import { firstWhere, indexAfter, indexBefore, type Snapshot } from './snapshot.ts';

/** A page of artists, before disclosure, and whether there are more after it. */
interface Selection {
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

/** Candidates from the most selective index that the filters allow. `checksOf` checks every filter again. */
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

/** Whether an artist, the one at this index of the list, passes. */
type Check = (artist: Artist, index: number) => boolean;

/** How each filter selects, by its value. */
const rules: {
  readonly [Name in FilterName]: (value: FilterValues[Name], snapshot: Snapshot, today: Day) => Check;
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

/** The names of all filters. */
export const filterNames = Object.keys(rules) as readonly FilterName[]; // `Object.keys` loses the names

/** The checks of the filters that are set. */
const checksOf = (filters: Filters, snapshot: Snapshot, today: Day): readonly Check[] => {
  const checkOf = <Name extends FilterName>(name: Name): readonly Check[] => {
    const value = filters[name];
    return value === undefined ? [] : [rules[name](value, snapshot, today)];
  };
  return filterNames.flatMap((name) => checkOf(name));
};

/** The end of the range of indexes that hold artists added since a day. */
const endOf = (snapshot: Snapshot, { addedSince, addedWithinDays }: Filters, today: Day): number => {
  const bySince = addedSince === undefined ? snapshot.listed.length : indexBefore(snapshot, addedSince);
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
