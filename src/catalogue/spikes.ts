import { addDays, type Day } from '../domain/day.ts';
import { groupBy } from '../domain/group-by.ts';
import type { Artist, ArtistMetric, Engine, HistoryPoint, Series, Spike } from '../domain/model.ts';
import { artistMetrics } from '../domain/model.ts';
import { compareSpikes } from '../domain/order.ts';
import type { ListedArtist } from '../ports.ts';
import { byteLru } from '../runtime/memo.ts';
import { growthOf } from './growth.ts';

/** The signal engine that responses name. Its version changes whenever the rule below does. */
export const engine: Engine = { name: 'trusted-movement', version: '1.0.0' };

export interface SpikeSettings {
  /** The smallest `previous` value of a spike. */
  readonly floor: number;
  /** The smallest growth of a spike, in per cent of `previous`. */
  readonly thresholdPercent: number;
}

/** Days that the latest trusted point may be old, and that its counterpart may be further back than the window. */
const slackDays = 2;

/** Days of points that a source loads for spikes: the longest window (30), its slack at both ends, rounded up. */
export const recentDays = 35;

const isTrusted = (point: HistoryPoint): boolean => !point.estimated && !point.stale && !point.terminal;

const latestTrusted = (points: readonly HistoryPoint[], from: Day, to: Day): HistoryPoint | undefined =>
  points.findLast((point) => point.date >= from && point.date <= to && isTrusted(point));

/** A search for spikes over a window that ends today or up to `slackDays` earlier. */
interface Search {
  readonly days: number;
  readonly today: Day;
  readonly settings: SpikeSettings;
  /** The earliest day of a latest point. */
  readonly since: Day;
  /** By day of the latest point, the first and last day of its counterpart. */
  readonly counterparts: ReadonlyMap<Day, readonly [from: Day, to: Day]>;
}

const createSearch = (days: number, today: Day, settings: SpikeSettings): Search => {
  const latestDays = Array.from({ length: slackDays + 1 }, (_, ago) => addDays(today, -ago));
  return {
    days,
    today,
    settings,
    since: addDays(today, -slackDays),
    counterparts: new Map(latestDays.map((day) => [day, [addDays(day, -days - slackDays), addDays(day, -days)]])),
  };
};

const spikeOf = (
  artist: Artist,
  metric: ArtistMetric,
  series: Series,
  { days, today, settings, since, counterparts }: Search,
): Spike | undefined => {
  const current = latestTrusted(series.points, since, today);
  const counterpart = current && counterparts.get(current.date);
  if (current === undefined || counterpart === undefined) return undefined;
  const previous = latestTrusted(series.points, ...counterpart);
  if (previous === undefined || previous.value <= 0 || previous.value < settings.floor) return undefined;
  const growth = growthOf(previous.value, current.value, settings.thresholdPercent);
  if (growth === undefined) return undefined;
  return {
    artistId: artist.id,
    artistName: artist.name,
    metric,
    previous: previous.value,
    current: current.value,
    ...growth,
    window: { days, from: previous.date, to: current.date },
    engine,
    tiktok: artist.links.tiktok,
  };
};

const isArtistMetric = (metric: string): metric is ArtistMetric => artistMetrics.some((known) => known === metric);

const spikesOf = ({ artist, recent }: ListedArtist, search: Search): readonly Spike[] =>
  recent.flatMap((series) => {
    const spike = isArtistMetric(series.metric) ? spikeOf(artist, series.metric, series, search) : undefined;
    return spike ?? [];
  });

/** Finds spikes with one pair of settings. */
export interface SpikeFinder {
  readonly settings: SpikeSettings;
  /**
   * Every spike on `today` over a comparison window of `days`, in the list's order (specification, "GET /api/v1/spikes").
   * Only trusted points count: neither estimated nor stale nor terminal.
   */
  find(artists: readonly ListedArtist[], days: number, today: Day): readonly Spike[];
}

/** 1/12 of the default `BODY_CACHE_MB`. */
const defaultMaxBytes = 8 * 1024 * 1024;

/** Bytes of a spike and of its window, without texts that the artist has too. Measured: 220. */
const spikeBytes = 300;

/** The number of a shortlist, and of the one since which each of its artists has been the same. */
interface NumberedShortlist {
  readonly number: number;
  readonly since: WeakMap<ListedArtist, number>;
}

/** Numbers shortlists in the order in which they are first seen. */
const createShortlistNumbers = () => {
  const numbers = new WeakMap<readonly ListedArtist[], number>();
  let since = new WeakMap<ListedArtist, number>();
  let last = 0;
  return (artists: readonly ListedArtist[]): NumberedShortlist => {
    const known = numbers.get(artists);
    if (known !== undefined) return { number: known, since };
    last += 1;
    numbers.set(artists, last);
    const before = since;
    since = new WeakMap(artists.map((listed) => [listed, before.get(listed) ?? last]));
    return { number: last, since };
  };
};

/** All spikes over one window, in the list's order, and the day and shortlist that they are of. */
interface SpikesOfWindow {
  readonly today: Day;
  readonly shortlist: number;
  readonly spikes: readonly Spike[];
}

/**
 * A finder that keeps the lists of the windows that were asked for last, up to `maxBytes`, for callers of any form and
 * visibility. Of a window that it knows, it looks only at artists that changed since.
 */
export const createSpikeFinder = (settings: SpikeSettings, maxBytes = defaultMaxBytes): SpikeFinder => {
  // After 1 % of 10,000 artists changed, the first list of spikes takes 10 ms, and 42 ms without this cache.
  // Bound: 1/12 of `BODY_CACHE_MB`; key: window; lifetime: the day, until dropped (LRU).
  const windows = byteLru<SpikesOfWindow>(maxBytes, ({ spikes }) => spikes.length * spikeBytes);
  const numbered = createShortlistNumbers();

  const findAfter = (before: SpikesOfWindow | undefined, artists: readonly ListedArtist[], search: Search): Spike[] => {
    const { number, since } = numbered(artists);
    if (before === undefined || before.today !== search.today || before.shortlist > number)
      return artists.flatMap((listed) => spikesOf(listed, search));
    const known = groupBy(before.spikes, ({ artistId }) => artistId);
    const isUnchanged = (listed: ListedArtist) => (since.get(listed) ?? number) <= before.shortlist;
    return artists.flatMap((listed) =>
      isUnchanged(listed) ? (known.get(listed.artist.id) ?? []) : spikesOf(listed, search),
    );
  };

  return {
    settings,
    find(artists, days, today) {
      const before = windows.get(days);
      const { number } = numbered(artists);
      if (before?.today === today && before.shortlist === number) return before.spikes;
      const search = createSearch(days, today, settings);
      const spikes = findAfter(before, artists, search).sort(compareSpikes);
      windows.set(days, { today, shortlist: number, spikes });
      return spikes;
    },
  };
};
