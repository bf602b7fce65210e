import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Day } from '../domain/day.ts';
import type { Spike } from '../domain/model.ts';
import { compareSpikes, type SpikeSortKey } from '../domain/order.ts';
import type { ListedArtist } from '../ports.ts';
import { forEachYielding, runYielding, sortYielding, type YieldingWork } from '../runtime/cooperative.ts';
import { type Keeps, keepAll, scopedLru, weakMemo } from '../runtime/memo.ts';
import { type Movements, maxWindowDays, movementFinder, rowsOf, type SpikeSettings, spikeAt } from './movements.ts';
import { identityOf } from './snapshot.ts';

/** Spikes in the list's order. They are made when they are read: as objects, those of all windows would take 40 times the memory. */
export interface Spikes {
  readonly length: number;
  /** The spikes from an index to before another. */
  slice(from: number, to: number): readonly Spike[];
}

export const noSpikes: Spikes = { length: 0, slice: () => [] };

/** Finds spikes with one pair of settings. */
export interface SpikeFinder {
  readonly settings: SpikeSettings;
  /**
   * Every spike on `today` over a comparison window of 1 to 30 `days`, in the list's order (specification, "GET /api/v1/spikes").
   * Only trusted points count: neither estimated nor stale nor terminal. `spikes` is the same object until one of them changes, so
   * that their JSON can be cached; `identity` is a digest of what identifies their artists, in order.
   */
  find(artists: readonly ListedArtist[], days: number, today: Day): Promise<{ spikes: Spikes; identity: string }>;
}

/** Artists that are looked at in one step: a fifth of a millisecond when each of five series grows over every window. */
const artistsPerStep = 20;

/** An artist that spikes over some window. */
interface GrowingArtist {
  /** The newest version with these spikes. */
  listed: ListedArtist;
  readonly movements: Movements;
}

/** The artists that spike over some window: the same list as before when none of their spikes changed, and their versions now. */
type Growth = { readonly growing: readonly GrowingArtist[]; readonly artists: readonly ListedArtist[] };

/** More series than an artist has. A place is the index of an artist among those that grow, times this, and the row of a series. */
const maxRows = 2 ** 16;

const indexOf = (place: number): number => Math.floor(place / maxRows);

/** The spikes of a search: numbers alone, since 50,000 objects would wait for a full collection of garbage. */
interface FoundSpikes {
  readonly places: number[];
  readonly percentChanges: number[];
  readonly deltas: number[];
}

/** Sorts found spikes. Gives their places. */
function* sortSteps({ places, percentChanges, deltas }: FoundSpikes, growing: readonly GrowingArtist[]) {
  const keyOf = (at: number): SpikeSortKey => {
    const place = places[at] ?? 0;
    const listed = growing[indexOf(place)]?.listed;
    return {
      percentChange: percentChanges[at] ?? 0,
      delta: deltas[at] ?? 0,
      artistId: listed?.artist.id ?? '',
      metric: listed?.recent[place % maxRows]?.metric ?? '',
    };
  };
  const compare = (left: number, right: number): number =>
    (percentChanges[right] ?? 0) - (percentChanges[left] ?? 0) ||
    (deltas[right] ?? 0) - (deltas[left] ?? 0) || // nearly always these two decide: the rest takes an object
    compareSpikes(keyOf(left), keyOf(right));
  const order = yield* sortYielding([...places.keys()], compare);
  return Float64Array.from(order, (at) => places[at] ?? 0);
}

/** A digest of what identifies the artists of spikes. */
function* identitySteps(artists: readonly ListedArtist[], places: Float64Array): YieldingWork<string> {
  const identity = createHash('sha256');
  yield* forEachYielding(places, (place) => {
    const listed = artists[indexOf(place)];
    if (listed !== undefined) identity.update(`${identityOf(listed)}\n`);
  });
  return identity.digest('base64url');
}

/** Whether two versions of an artist have the same spikes. */
const showsSame = (one: ListedArtist, other: ListedArtist): boolean =>
  one === other ||
  (one.artist.name === other.artist.name &&
    one.artist.links.tiktok === other.artist.links.tiktok &&
    isDeepStrictEqual(one.recent, other.recent));

/** What artists do on a day, over all windows: looked at once for each artist. */
const openDay = (today: Day, settings: SpikeSettings, keeps: Keeps) => {
  const find = movementFinder(today, settings);
  // Without it a list of 50,000 spikes takes 1.6 times the processor time.
  // Bound: one for each artist, of 62 bytes a series if one of them grows; key: artist; lifetime: the artist, until the UTC day ends.
  const movementsOf = weakMemo<ListedArtist, Movements>(keeps('movements'));
  let last: readonly GrowingArtist[] = [];

  function* growingSteps(artists: readonly ListedArtist[]): YieldingWork<Growth> {
    const known = new Map(last.map((one) => [one.listed.artist.id, one]));
    const growing: GrowingArtist[] = [];
    const look = (listed: ListedArtist): void => {
      const movements = movementsOf(listed, () => find(listed));
      if (rowsOf(movements) === 0) return;
      const former = known.get(listed.artist.id);
      const one = former !== undefined && showsSame(former.listed, listed) ? former : { listed, movements };
      one.listed = listed;
      growing.push(one);
    };
    yield* forEachYielding(artists, look, artistsPerStep);
    const isSame = growing.length === last.length && growing.every((one, index) => one === last[index]);
    if (!isSame) last = growing;
    return { growing: last, artists: growing.map(({ listed }) => listed) };
  }

  return { today, growingSteps };
};

/**
 * A finder that keeps lists, for callers of any form and visibility. It searches in steps, one list after another, so that other
 * requests wait for none of them. Of a changed shortlist it looks only at artists that changed.
 */
export const createSpikeFinder = (settings: SpikeSettings, keeps = keepAll): SpikeFinder => {
  let day: ReturnType<typeof openDay> | undefined;
  // Without it each window looks at all artists: 2 ms for 10,000.
  // Bound: two lists of artists that grow; key: shortlist, day; lifetime: the shortlist, until dropped (LRU).
  const growers = scopedLru<readonly ListedArtist[], Promise<Growth>>(2, keeps('growers'));
  // Without it every answer that is not cached searches the artists that grow: 0.1 s of processor time for 50,000 spikes.
  // Bound: 30, of 8 bytes a spike; key: artists that grow, window; lifetime: until one of their spikes changes.
  const lists = scopedLru<readonly GrowingArtist[], ReturnType<typeof search>>(maxWindowDays, keeps('spike-lists'));
  let searching: Promise<unknown> = Promise.resolve();

  function* searchSteps(growing: readonly GrowingArtist[], days: number) {
    const found: FoundSpikes = { places: [], percentChanges: [], deltas: [] };
    const read = (place: number): Spike | undefined => {
      const one = growing[indexOf(place)];
      return one && spikeAt(one.listed, one.movements, place % maxRows, days, settings);
    };
    const visit = ({ movements }: GrowingArtist, index: number): void => {
      for (let row = 0; row < rowsOf(movements); row++) {
        const place = index * maxRows + row;
        const spike = read(place);
        if (spike === undefined) continue;
        found.places.push(place);
        found.percentChanges.push(spike.percentChange);
        found.deltas.push(spike.delta);
      }
    };
    yield* forEachYielding(growing, visit, artistsPerStep);
    const places = yield* sortSteps(found, growing);
    const slice = (from: number, to: number) => [...places.subarray(from, to)].flatMap((place) => read(place) ?? []);
    return { places, spikes: { length: places.length, slice } };
  }

  const search = (growing: readonly GrowingArtist[], days: number) => runYielding(searchSteps(growing, days));

  const list = async (shortlist: readonly ListedArtist[], days: number, today: Day) => {
    if (day?.today !== today) day = openDay(today, settings, keeps);
    const { growingSteps } = day;
    const { growing, artists } = await growers(shortlist, () => runYielding(growingSteps(shortlist)), today);
    const { places, spikes } = await lists(growing, () => search(growing, days), String(days));
    return { spikes, identity: await runYielding(identitySteps(artists, places)) };
  };

  return {
    settings,
    find(artists, days, today) {
      const found = searching.then(() => list(artists, days, today));
      searching = found.catch(() => undefined); // the request that asked for it gets the failure
      return found;
    },
  };
};
