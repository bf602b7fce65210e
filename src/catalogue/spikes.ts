import { createHash } from 'node:crypto';
import type { Day } from '../domain/day.ts';
import type { Spike } from '../domain/model.ts';
import { compareSpikes, type SpikeSortKey } from '../domain/order.ts';
import type { ListedArtist } from '../ports.ts';
import { forEachYielding, runYielding, sortYielding, type YieldingWork } from '../runtime/cooperative.ts';
import { type Keeps, keepAll, scopedLru, weakMemo } from '../runtime/memo.ts';
import { type Movements, maxWindowDays, movementFinder, rowsOf, type SpikeSettings, spikeAt } from './movements.ts';
import { identityOf } from './snapshot.ts';

/** Spikes in the list's order. They are made when they are read: as objects, those of all windows would take 40 times the memory. */
export interface SpikeList {
  readonly length: number;
  /** Identifies the data: a digest of what identifies the artists of the spikes, in their order. */
  readonly identity: string;
  /** The spikes from an index to before another. */
  slice(from: number, to: number): readonly Spike[];
}

export const noSpikes: SpikeList = { length: 0, identity: '', slice: () => [] };

/** Finds spikes with one pair of settings. */
export interface SpikeFinder {
  readonly settings: SpikeSettings;
  /**
   * Every spike on `today` over a comparison window of 1 to 30 `days`, in the list's order (specification, "GET /api/v1/spikes").
   * Only trusted points count: neither estimated nor stale nor terminal.
   */
  find(artists: readonly ListedArtist[], days: number, today: Day): Promise<SpikeList>;
}

/** Artists that are looked at in one step: a fifth of a millisecond when each of five series grows over every window. */
const artistsPerStep = 20;

/** The spikes of a search: numbers alone, since 50,000 objects would wait for a full collection of garbage. */
interface FoundSpikes {
  /** Of the artist, in the shortlist. */
  readonly indexes: number[];
  /** Of the series, in the artist's movements. */
  readonly rows: number[];
  readonly percentChanges: number[];
  readonly deltas: number[];
}

/** Sorts found spikes. Gives where each is read again, and a digest of what identifies their artists. */
function* sortSteps({ indexes, rows, percentChanges, deltas }: FoundSpikes, artists: readonly ListedArtist[]) {
  const keyOf = (place: number): SpikeSortKey => {
    const listed = artists[indexes[place] ?? -1];
    return {
      percentChange: percentChanges[place] ?? 0,
      delta: deltas[place] ?? 0,
      artistId: listed?.artist.id ?? '',
      metric: listed?.recent[rows[place] ?? -1]?.metric ?? '',
    };
  };
  const compare = (left: number, right: number): number =>
    (percentChanges[right] ?? 0) - (percentChanges[left] ?? 0) ||
    (deltas[right] ?? 0) - (deltas[left] ?? 0) || // nearly always these two decide: the rest takes an object
    compareSpikes(keyOf(left), keyOf(right));
  const places = yield* sortYielding([...indexes.keys()], compare);
  const sorted = { indexes: new Uint32Array(places.length), rows: new Uint16Array(places.length) };
  const identity = createHash('sha256');
  yield* forEachYielding(places, (place, to) => {
    const index = indexes[place] ?? 0;
    sorted.indexes[to] = index;
    sorted.rows[to] = rows[place] ?? 0;
    const listed = artists[index];
    if (listed !== undefined) identity.update(`${identityOf(listed)}\n`);
  });
  return { ...sorted, identity: identity.digest('base64url') };
}

/** What artists do on a day, over all windows: looked at once for each artist. */
const openDay = (today: Day, settings: SpikeSettings, keeps: Keeps) => {
  const find = movementFinder(today, settings);
  // Without it a list of 50,000 spikes takes 1.6 times the processor time, and each of its pages looks at its artists again.
  // Bound: one for each artist, of 62 bytes a series if one of them grows; key: artist; lifetime: the artist, until the UTC day ends.
  const movements = weakMemo<ListedArtist, Movements>(keeps('movements'));
  return { today, movementsOf: (listed: ListedArtist) => movements(listed, () => find(listed)) };
};

/** Lists that are kept: of every window, for the two days of requests around midnight. */
const maxLists = 2 * maxWindowDays;

/**
 * A finder that keeps lists, for callers of any form and visibility. It searches in steps, one list after another, so that other
 * requests wait for none of them. Of a changed shortlist it looks only at artists that changed.
 */
export const createSpikeFinder = (settings: SpikeSettings, keeps = keepAll): SpikeFinder => {
  let day: ReturnType<typeof openDay> | undefined;
  // Without it every answer that is not cached searches the shortlist: 0.1 s of processor time for 50,000 spikes.
  // Bound: 60, of 6 bytes a spike; key: shortlist, day and window; lifetime: the shortlist, until dropped (LRU).
  const lists = scopedLru<readonly ListedArtist[], Promise<SpikeList>>(maxLists, keeps('spike-lists'));
  let searching: Promise<unknown> = Promise.resolve();

  function* searchSteps(artists: readonly ListedArtist[], days: number, today: Day): YieldingWork<SpikeList> {
    if (day?.today !== today) day = openDay(today, settings, keeps);
    const { movementsOf } = day;
    const found: FoundSpikes = { indexes: [], rows: [], percentChanges: [], deltas: [] };
    for (const [index, listed] of artists.entries()) {
      const movements = movementsOf(listed);
      for (let row = 0; row < rowsOf(movements); row++) {
        const spike = spikeAt(listed, movements, row, days, settings);
        if (spike === undefined) continue;
        found.indexes.push(index);
        found.rows.push(row);
        found.percentChanges.push(spike.percentChange);
        found.deltas.push(spike.delta);
      }
      if (index % artistsPerStep === artistsPerStep - 1) yield;
    }
    const { indexes, rows, identity } = yield* sortSteps(found, artists);
    const read = (index: number, row: number): Spike | readonly Spike[] => {
      const listed = artists[index];
      return (listed && spikeAt(listed, movementsOf(listed), row, days, settings)) ?? [];
    };
    return {
      length: indexes.length,
      identity,
      slice: (from, to) => [...indexes.subarray(from, to)].flatMap((index, at) => read(index, rows[from + at] ?? 0)),
    };
  }

  return {
    settings,
    find(artists, days, today) {
      const search = (): Promise<SpikeList> => {
        const list = searching.then(() => runYielding(searchSteps(artists, days, today)));
        searching = list.catch(() => undefined); // whoever asked for it gets the failure
        return list;
      };
      return lists(artists, search, `${today} ${days}`);
    },
  };
};
