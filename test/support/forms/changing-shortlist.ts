import fc from 'fast-check';
import { artistIds, labels, type Shortlist, type StoredUnit, units } from './random-shortlist.ts';

type Change =
  | { readonly put: (change: number) => StoredUnit }
  | { readonly remove: string }
  | { readonly labels: Shortlist['labels'] };

const changes = (today: string): fc.Arbitrary<Change> =>
  fc.oneof(
    { weight: 6, arbitrary: units(today, fc.constantFrom(...artistIds)).map((put) => ({ put })) },
    { weight: 2, arbitrary: fc.constantFrom(...artistIds).map((remove) => ({ remove })) },
    labels.map((list) => ({ labels: list })),
  );

/**
 * A shortlist that changes by one artist or its labels at a time, the same way for the same seed.
 */
export interface ChangingShortlist {
  /** The same object until the next change. */
  now(): Shortlist;
  change(): Shortlist;
}

/** Artists that a shortlist begins with, and that it never falls below by much. */
const minArtists = 12;

export const createChangingShortlist = (
  today: string,
  seed: number,
  maxChanges: number,
): ChangingShortlist => {
  const byId = new Map<string, StoredUnit>();
  const queue = fc.sample(changes(today), { seed, numRuns: maxChanges + 3 * minArtists }).values();
  let tracked: Shortlist['labels'] = fc.sample(labels, { seed, numRuns: 1 }).flat();
  let shortlist: Shortlist = { artists: [], history: [], labels: tracked };
  let instant = Date.parse(`${today}T00:00:00Z`) - 40 * 86_400_000;

  const change = (): Shortlist => {
    const next = queue.next().value;
    instant += 1_000;
    if (next === undefined) throw new Error('more changes than were announced');
    if ('put' in next) {
      const unit = next.put(instant);
      byId.set(unit.artist.id, unit);
    } else if ('labels' in next) tracked = next.labels;
    else if (byId.size > minArtists) byId.delete(next.remove);
    const all = [...byId.values()];
    shortlist = {
      artists: all.map(({ artist }) => artist),
      history: all.flatMap(({ series }) => series),
      labels: tracked,
    };
    return shortlist;
  };

  for (let draws = 0; draws < 3 * minArtists; draws++) change();
  return { now: () => shortlist, change };
};
