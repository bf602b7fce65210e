import { addDays, type Day } from '../domain/day.ts';
import type { ArtistMetric, HistoryPoint, Series } from '../domain/model.ts';
import { artistMetrics } from '../domain/model.ts';
import { firstWhere } from '../domain/order.ts';
import type { Spike } from '../domain/signals.ts';
import type { ListedArtist, RecentPoints } from '../ports.ts';
import { growthOf } from './growth.ts';

export interface SpikeSettings {
  /** The smallest `previous` value of a spike. */
  readonly floor: number;
  /** The smallest growth of a spike, in per cent of `previous`. */
  readonly thresholdPercent: number;
}

/**
 * Days that the latest trusted point may be old, and that its counterpart may be further back than
 * the window.
 */
const slackDays = 2;

/**
 * Days of points that a source keeps for spikes: the longest window, its slack at both ends,
 * rounded up.
 */
export const recentDays = 35;

const isTrusted = (point: HistoryPoint): boolean =>
  !point.estimated && !point.stale && !point.terminal;

/**
 * The points of a series from which spikes are computed: the trusted ones of the days up to its
 * newest trusted point. No clock decides which are kept: one that is wrong would leave its mark
 * after it is right. Neither does a forecast: it is not trusted (decisions, "Parameters and
 * contents").
 *
 * @param share returns the first of equal lists of days, which are the same in most series: spikes
 * are found sooner then
 */
export const recentPointsOf = (
  { metric, points }: Series,
  share = (days: readonly Day[]): readonly Day[] => days,
): RecentPoints => {
  const newest = points.findLast(isTrusted)?.date;
  const since = newest === undefined ? '' : addDays(newest, -recentDays);
  const trusted = points.filter((point) => point.date >= since && isTrusted(point));
  return {
    metric,
    days: share(trusted.map(({ date }) => date)),
    values: trusted.map(({ value }) => value + 0), // a copy cannot tell -0 from 0
  };
};

/**
 * True if the last points of a series include all from which spikes are computed: they reach the
 * first of those days.
 */
export const holdsRecent = ({ points }: Pick<Series, 'points'>): boolean => {
  const newest = points.findLast(isTrusted)?.date;
  return newest !== undefined && (points[0]?.date ?? '') <= addDays(newest, -recentDays);
};

const isArtistMetric = (metric: string): metric is ArtistMetric =>
  artistMetrics.some((known) => known === metric);

/** The index of the last day from one day to another, both included; -1 when there is none. */
const lastIndex = (days: readonly Day[], from: Day, to: Day): number => {
  const index = firstWhere(days, (day) => day > to) - 1;
  return (days[index] ?? '') < from ? -1 : index;
};

/**
 * Returns a function that computes the spikes of an artist on `today` over a window of `days`. A
 * growth that is no finite number is none (decisions, "Parameters and contents").
 */
export const movementFinder = (
  today: Day,
  days: number,
  { floor, thresholdPercent }: SpikeSettings,
) => {
  const oldestLatest = addDays(today, -slackDays);
  /**
   * The latest point of a series and its counterpart, by their indexes, and the window between
   * them.
   */
  const findPair = (dates: readonly Day[]) => {
    const latest = lastIndex(dates, oldestLatest, today);
    const to = dates[latest] ?? '';
    const earlier =
      to === '' ? -1 : lastIndex(dates, addDays(to, -days - slackDays), addDays(to, -days));
    return { latest, earlier, window: { days, from: dates[earlier] ?? '', to } };
  };
  /** By the days of a series, which most series share. */
  const pairs = new Map<readonly Day[], ReturnType<typeof findPair>>();
  const pairOf = (dates: readonly Day[]) => {
    const known = pairs.get(dates);
    if (known !== undefined) return known;
    const found = findPair(dates);
    pairs.set(dates, found);
    return found;
  };

  return ({ artist, recent }: ListedArtist): Spike[] => {
    const found: Spike[] = [];
    for (const { metric, days: dates, values } of recent) {
      const { latest, earlier, window } = pairOf(dates);
      const previous = values[earlier] ?? 0;
      const current = values[latest] ?? 0;
      if (previous <= 0 || previous < floor) continue;
      const growth = growthOf(previous, current, thresholdPercent);
      if (growth === undefined || !Number.isFinite(growth.percentChange) || !isArtistMetric(metric))
        continue;
      found.push({
        artistId: artist.id,
        artistName: artist.name,
        metric,
        previous,
        current,
        ...growth,
        window,
        tiktok: artist.links.tiktok,
      });
    }
    return found;
  };
};
