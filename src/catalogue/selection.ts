import type { Artist } from '../domain/model.ts';
import type { Position } from '../domain/order.ts';
import { Problem } from '../domain/problem.ts';
import { foldName } from './name-index.ts';
import { earliestDay, type Filters, type Viewer } from './questions.ts';
import { firstWhere, indexAfter, indexBefore, type Snapshot } from './snapshot.ts';

/** A page of artists, nothing hidden yet, and whether there are more behind it. */
export interface Selection {
  readonly artists: readonly Artist[];
  readonly more: boolean;
}

function* between(from: number, to: number): Iterable<number> {
  for (let place = from; place < to; place++) yield place;
}

function* amongPlaces(places: readonly number[], from: number, to: number): Iterable<number> {
  for (let index = firstWhere(places, (place) => place >= from); index < places.length; index++) {
    const place = places[index];
    if (place === undefined || place >= to) return;
    yield place;
  }
}

const onlyPlace = (place: number | undefined, from: number, to: number): Iterable<number> =>
  place !== undefined && place >= from && place < to ? [place] : [];

/** Those of some places whose names hold a text: each look jumps over what is in the list or in the index alone. */
function* namedAmong(
  places: readonly number[],
  { names }: Snapshot,
  text: string,
  from: number,
  to: number,
): Iterable<number> {
  let next = from;
  for (;;) {
    const [place] = amongPlaces(places, next, to);
    if (place === undefined) return;
    const [named] = names.search(text, place, to);
    if (named === undefined) return;
    if (named === place) yield place;
    next = named === place ? place + 1 : named;
  }
}

/** The places worth looking at, by the narrowest indexes that the filters allow. Every filter is checked again. */
const candidates = (snapshot: Snapshot, filters: Filters, from: number, to: number): Iterable<number> => {
  if (filters.nothing) return [];
  if (filters.documentId !== undefined) return onlyPlace(snapshot.byDocumentId.get(filters.documentId), from, to);
  if (filters.id !== undefined) return onlyPlace(snapshot.byId.get(filters.id), from, to);
  const ofTier = filters.tier === undefined ? undefined : (snapshot.byTier.get(filters.tier) ?? []);
  if (filters.name !== undefined && ofTier !== undefined) return namedAmong(ofTier, snapshot, filters.name, from, to);
  if (filters.name !== undefined) return snapshot.names.search(filters.name, from, to);
  if (ofTier !== undefined) return amongPlaces(ofTier, from, to);
  return between(from, to);
};

/** Whether an artist passes the filters that its place in the list does not decide. */
const passes = ({ folded }: Snapshot, filters: Filters): ((artist: Artist, place: number) => boolean) => {
  const { id, documentId, tier, signed } = filters;
  const name = filters.name === undefined ? undefined : foldName(filters.name);
  return (artist, place) =>
    (id === undefined || artist.id === id) &&
    (documentId === undefined || artist.documentId === documentId) &&
    (tier === undefined || artist.tier === tier) &&
    (signed === undefined || (artist.signing.status === 'signed') === signed) &&
    (name === undefined || folded[place]?.includes(name) === true);
};

/**
 * The artists that pass the filters, in list order, at most `limit` of them, from behind `after`.
 * Raises `not-found` when a document is looked up that does not exist.
 */
export const select = (
  snapshot: Snapshot,
  filters: Filters,
  asker: Viewer,
  limit: number,
  after?: Position,
): Selection => {
  if (filters.documentId !== undefined && !snapshot.byDocumentId.has(filters.documentId)) {
    throw new Problem('not-found', 'No artist has this id.');
  }
  const since = earliestDay(filters, asker.today);
  const from = after === undefined ? 0 : indexAfter(snapshot, after);
  const to = since === undefined ? snapshot.listed.length : indexBefore(snapshot, since);
  const isMeant = passes(snapshot, filters);
  const artists: Artist[] = [];
  for (const place of candidates(snapshot, filters, from, to)) {
    const artist = snapshot.listed[place]?.artist;
    if (artist === undefined || !isMeant(artist, place)) continue;
    if (artists.length === limit) return { artists, more: true };
    artists.push(artist);
  }
  return { artists, more: false };
};
