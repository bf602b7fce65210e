import { addDays, type Day } from '../domain/day.ts';
import type { ArtistMetric, HistoryPoint, Series } from '../domain/model.ts';
import { artistMetrics } from '../domain/model.ts';
import type { Spike } from '../domain/signals.ts';
import type { ListedArtist, RecentPoints } from '../ports.ts';
import { growthOf } from './growth.ts';

export interface SpikeSettings {
  /** The smallest `previous` value of a spike. */
  readonly floor: number;
  /** The smallest growth of a spike, in per cent of `previous`. */
  readonly thresholdPercent: number;
}

/** Days that the latest trusted point may be old, and that its counterpart may be further back than the window. */
const slackDays = 2;

/** Days of points that a source keeps for spikes: the longest window, its slack at both ends, rounded up. */
export const recentDays = 35;

const isTrusted = (point: HistoryPoint): boolean => !point.estimated && !point.stale && !point.terminal;

/**
 * The points of a series from which spikes are computed: the trusted ones of the days up to its newest point. No clock decides which
 * are kept: one that is wrong would leave its mark after it is right.
 */
export const recentPointsOf = ({ metric, points }: Series): RecentPoints => {
  const newest = points.at(-1)?.date;
  const since = newest === undefined ? '' : addDays(newest, -recentDays);
  const trusted = points.filter((point) => point.date >= since && isTrusted(point));
  return { metric, days: trusted.map(({ date }) => date), values: trusted.map(({ value }) => value) };
};

const isArtistMetric = (metric: string): metric is ArtistMetric => artistMetrics.some((known) => known === metric);

/** The last point from one day to another, both included. */
const lastPoint = ({ days, values }: RecentPoints, from: Day, to: Day) => {
  const index = days.findLastIndex((day) => day <= to);
  const [date, value] = [days[index], values[index]];
  return date === undefined || value === undefined || date < from ? undefined : { date, value };
};

/**
 * Returns a function that computes the spikes of an artist on `today` over a window of `days`. A growth that is no finite number is
 * none (decisions, "Parameters and contents").
 */
export const movementFinder = (today: Day, days: number, { floor, thresholdPercent }: SpikeSettings) => {
  const oldestLatest = addDays(today, -slackDays);
  /** By the day of the latest point, the days that its counterpart may have. */
  const counterparts = new Map(
    Array.from({ length: slackDays + 1 }, (_, ago) => [
      addDays(today, -ago),
      { from: addDays(today, -ago - days - slackDays), to: addDays(today, -ago - days) },
    ]),
  );

  return ({ artist, recent }: ListedArtist): Spike[] =>
    recent.flatMap((series) => {
      const { metric } = series;
      const current = lastPoint(series, oldestLatest, today);
      const range = counterparts.get(current?.date ?? '');
      const previous = range && lastPoint(series, range.from, range.to);
      if (!isArtistMetric(metric) || current === undefined || previous === undefined) return [];
      if (previous.value <= 0 || previous.value < floor) return [];
      const growth = growthOf(previous.value, current.value, thresholdPercent);
      if (growth === undefined || !Number.isFinite(growth.percentChange)) return [];
      return {
        artistId: artist.id,
        artistName: artist.name,
        metric,
        previous: previous.value,
        current: current.value,
        ...growth,
        window: { days, from: previous.date, to: current.date },
        tiktok: artist.links.tiktok,
      };
    });
};
