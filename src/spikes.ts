import { addDays, type Day } from './day.ts';
import type { Artist, ArtistMetric, Engine, HistoryPoint, Series, Spike } from './model.ts';
import { artistMetrics } from './model.ts';
import { compareSpikes } from './order.ts';
import type { ListedArtist } from './ports.ts';

/** The signal engine that responses name. Its version changes whenever the rule below does. */
export const engine: Engine = { name: 'trusted-movement', version: '1.0.0' };

export interface SpikeSettings {
  /** The least `previous` value that movement is told from. */
  readonly floor: number;
  /** The least growth, in per cent of `previous`. */
  readonly thresholdPercent: number;
}

/** How old the latest trusted point may be, and how much further back than the window its counterpart. */
const slackDays = 2;

const isTrusted = (point: HistoryPoint): boolean => !point.estimated && !point.stale && !point.terminal;

const latestTrusted = (points: readonly HistoryPoint[], from: Day, to: Day): HistoryPoint | undefined =>
  points.findLast((point) => point.date >= from && point.date <= to && isTrusted(point));

/** Without the noise that binary fractions leave behind the fifteenth digit. */
const difference = (left: number, right: number): number => Number((left - right).toPrecision(15));

/** Growth in per cent, two decimals: divided last, so that halves are told exactly. */
const percentOf = (delta: number, previous: number): number => Math.round((delta * 10_000) / previous) / 100;

const spikeOf = (
  artist: Artist,
  metric: ArtistMetric,
  series: Series,
  days: number,
  today: Day,
  settings: SpikeSettings,
): Spike | undefined => {
  const current = latestTrusted(series.points, addDays(today, -slackDays), today);
  if (current === undefined) return undefined;
  const previous = latestTrusted(series.points, addDays(current.date, -days - slackDays), addDays(current.date, -days));
  if (previous === undefined || previous.value <= 0 || previous.value < settings.floor) return undefined;
  const delta = difference(current.value, previous.value);
  if (delta <= 0 || (delta * 100) / previous.value < settings.thresholdPercent) return undefined;
  return {
    artistId: artist.id,
    artistName: artist.name,
    metric,
    previous: previous.value,
    current: current.value,
    delta,
    percentChange: percentOf(delta, previous.value),
    window: { days, from: previous.date, to: current.date },
    engine,
    tiktok: artist.links.tiktok,
  };
};

const isArtistMetric = (metric: string): metric is ArtistMetric => artistMetrics.some((known) => known === metric);

/**
 * Every spike on `today` over a comparison window of `days`, in the list's order (specification, "GET /api/v1/spikes").
 * Only trusted points count: neither estimated nor stale nor terminal.
 */
export const findSpikes = (
  artists: readonly ListedArtist[],
  days: number,
  today: Day,
  settings: SpikeSettings,
): readonly Spike[] => {
  const spikes: Spike[] = [];
  for (const { artist, recent } of artists) {
    for (const series of recent) {
      if (!isArtistMetric(series.metric)) continue;
      const spike = spikeOf(artist, series.metric, series, days, today, settings);
      if (spike !== undefined) spikes.push(spike);
    }
  }
  return spikes.sort(compareSpikes);
};
