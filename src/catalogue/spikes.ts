import { createHash } from 'node:crypto';
import type { Day } from '../domain/day.ts';
import { compareSpikes } from '../domain/order.ts';
import { engine, type Spike } from '../domain/signals.ts';
import type { ListedArtist } from '../ports.ts';
import { forEachInTurns, sortInTurns } from '../runtime/cooperative.ts';
import { scopedLru } from '../runtime/memo.ts';
import { movementFinder, type SpikeSettings } from './movements.ts';
import { identityOf } from './snapshot.ts';

interface FoundSpikes {
  /** In the list's order. */
  readonly spikes: readonly Spike[];
  /** Identifies them: the question, the settings, and a digest of what identifies their artists. */
  readonly identity: string;
}

/**
 * Finds every spike on `today` over a comparison window of 1 to 30 `days`, in the list's order
 * (contract, `/api/v1/spikes`). Only trusted points count: neither estimated nor stale nor
 * terminal.
 */
export type SpikeFinder = (
  artists: readonly ListedArtist[],
  days: number,
  today: Day,
) => Promise<FoundSpikes>;

/** Artists that are looked at in one step: a fifth of a millisecond. */
const artistsPerStep = 100;

/**
 * A finder for callers of any form and visibility. It searches in turns of the event loop,
 * so that other requests do not wait for it.
 */
export const createSpikeFinder = (settings: SpikeSettings): SpikeFinder => {
  const search = async (
    artists: readonly ListedArtist[],
    days: number,
    today: Day,
  ): Promise<FoundSpikes> => {
    const spikesOf = movementFinder(today, days, settings);
    const found: Spike[] = [];
    const identity = createHash('sha256');
    const look = (listed: ListedArtist): void => {
      const spikes = spikesOf(listed);
      if (spikes.length === 0) return;
      found.push(...spikes);
      identity.update(`${identityOf(listed)}\n`);
    };
    await forEachInTurns(artists, look, artistsPerStep);
    const spikes = await sortInTurns(found, compareSpikes);
    const rule = `${engine.name} ${engine.version} ${settings.floor} ${settings.thresholdPercent}`;
    return { spikes, identity: `${today} ${days}\n${rule}\n${identity.digest('base64url')}` };
  };

  // Without it every answer that is not cached looks at all artists.
  // Bound: 8 lists; key: shortlist, day, window; lifetime: the shortlist, or dropped (LRU).
  const lists = scopedLru<readonly ListedArtist[], Promise<FoundSpikes>>(8);

  return (artists, days, today) =>
    lists(artists, () => search(artists, days, today), `${today} ${days}`);
};
