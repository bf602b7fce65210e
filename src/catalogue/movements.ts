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
  /** The smallest growth of a spike, in percent of `previous`. */
  readonly thresholdPercent: number;
}

/** Maximum age of the latest trusted point, and of its counterpart beyond the window, in days. */
const slackDays = 2;

/**
 * Days of points that a source keeps for spikes: the longest window plus `slackDays` at both ends,
 * rounded up.
 */
export const recentDays = 35;

const isTrusted = (point: HistoryPoint): boolean =>
  !point.estimated && !point.stale && !point.terminal;

/**
 * The points of a series that spikes are computed from: the trusted points in the days up to the
 * newest trusted point. Uses no clock, because the error of a wrong clock would persist. A forecast
 * is not trusted (decisions, "Parameters and contents").
 *
 * @param share returns the first of equal lists of days: spikes are found sooner if series share
 * their days
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
    values: trusted.map(({ value }) => value + 0), // -0 becomes 0, as JSON in a copy has it
  };
};

/** True if the last points of a series reach back to the first day that spikes need. */
export const holdsRecent = ({ points }: Pick<Series, 'points'>): boolean => {
  const newest = points.findLast(isTrusted)?.date;
  return newest !== undefined && (points[0]?.date ?? '') <= addDays(newest, -recentDays);
};

const isArtistMetric = (metric: string): metric is ArtistMetric =>
  artistMetrics.some((known) => known === metric);

/** The index of the last day in a range, both ends included; -1 if there is none. */
const lastIndex = (days: readonly Day[], from: Day, to: Day): number => {
  const index = firstWhere(days, (day) => day > to) - 1;
  return (days[index] ?? '') < from ? -1 : index;
};

/**
 * Returns a function that computes the spikes of an artist on `today` over a window of `days`. An
 * infinite growth is not a spike (decisions, "Parameters and contents").
 */
export const movementFinder = (
  today: Day,
  days: number,
  { floor, thresholdPercent }: SpikeSettings,
) => {
  const oldestLatest = addDays(today, -slackDays);
  /**
   * Finds the latest point of a series and its counterpart, as indexes, and the window between
   * them.
   */
  const findPair = (dates: readonly Day[]) => {
    const latest = lastIndex(dates, oldestLatest, today);
    const to = dates[latest] ?? '';
    const earlier =
      to === '' ? -1 : lastIndex(dates, addDays(to, -days - slackDays), addDays(to, -days));
    return { latest, earlier, window: { days, from: dates[earlier] ?? '', to } };
  };
  /** Keyed by the days of a series, which most series share. */
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
