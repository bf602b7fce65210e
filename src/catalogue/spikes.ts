import { createHash } from 'node:crypto';
import type { Day } from '../domain/day.ts';
import type { Spike } from '../domain/model.ts';
import { compareSpikes } from '../domain/order.ts';
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

/** What orders a spike, and where it is read again: a third of a spike's memory, for all of a list until it is sorted. */
type FoundSpike = Pick<Spike, 'percentChange' | 'delta' | 'artistId' | 'metric'> & {
  readonly index: number;
  readonly row: number;
};

/** Spikes that are digested together: with one by one a search of 50,000 spikes takes a quarter longer. */
const spikesPerDigest = 500;

/** Where sorted spikes are read again, and the digest of what identifies their artists. */
function* placeSteps(sorted: readonly FoundSpike[], artists: readonly ListedArtist[]) {
  const indexes = new Uint32Array(sorted.length);
  const rows = new Uint16Array(sorted.length);
  const hash = createHash('sha256');
  let identities = '';
  yield* forEachYielding(sorted, ({ index, row }, place) => {
    indexes[place] = index;
    rows[place] = row;
    const listed = artists[index];
    if (listed !== undefined) identities += `${identityOf(listed)}\n`;
    if ((place + 1) % spikesPerDigest !== 0) return;
    hash.update(identities);
    identities = '';
  });
  return { indexes, rows, identity: hash.update(identities).digest('base64url') };
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

/** A list that requests at the same time share; `undefined` after its search failed. */
interface ListSlot {
  list?: Promise<SpikeList> | undefined;
}

/**
 * A finder that keeps lists, for callers of any form and visibility. It searches in steps, one list after another, so that other
 * requests wait for none of them. Of a changed shortlist it looks only at artists that changed.
 */
export const createSpikeFinder = (settings: SpikeSettings, keeps = keepAll): SpikeFinder => {
  let day: ReturnType<typeof openDay> | undefined;
  // Without it every answer that is not cached searches the shortlist: 0.15 s of processor time for 50,000 spikes.
  // Bound: 60, of 6 bytes a spike; key: shortlist, day and window; lifetime: the shortlist, until dropped (LRU).
  const lists = scopedLru<readonly ListedArtist[], ListSlot>(maxLists, keeps('spike-lists'));
  let searching: Promise<unknown> = Promise.resolve();

  function* searchSteps(artists: readonly ListedArtist[], days: number, today: Day): YieldingWork<SpikeList> {
    if (day?.today !== today) day = openDay(today, settings, keeps);
    const { movementsOf } = day;
    const found: FoundSpike[] = [];
    for (const [index, listed] of artists.entries()) {
      const movements = movementsOf(listed);
      for (let row = 0; row < rowsOf(movements); row++) {
        const spike = spikeAt(listed, movements, row, days, settings);
        if (spike === undefined) continue;
        const { percentChange, delta, artistId, metric } = spike;
        found.push({ index, row, percentChange, delta, artistId, metric });
      }
      if (index % artistsPerStep === artistsPerStep - 1) yield;
    }
    const sorted = yield* sortYielding(found, compareSpikes);
    const { indexes, rows, identity } = yield* placeSteps(sorted, artists);
    const read = (index: number, row: number): Spike | readonly Spike[] => {
      const listed = artists[index];
      return (listed && spikeAt(listed, movementsOf(listed), row, days, settings)) ?? [];
    };
    return {
      length: sorted.length,
      identity,
      slice: (from, to) => [...indexes.subarray(from, to)].flatMap((index, at) => read(index, rows[from + at] ?? 0)),
    };
  }

  return {
    settings,
    find(artists, days, today) {
      const slot = lists(artists, () => ({}), `${today} ${days}`);
      slot.list ??= searching
        .then(() => runYielding(searchSteps(artists, days, today)))
        .catch((failure: unknown) => {
          slot.list = undefined; // the next request searches again
          throw failure;
        });
      searching = slot.list.catch(() => undefined); // whoever asked for it gets the failure
      return slot.list;
    },
  };
};
