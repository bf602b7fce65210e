import { addDays, type Day } from '../domain/day.ts';
import type { ArtistMetric, Engine, HistoryPoint, Series, Spike } from '../domain/model.ts';
import { artistMetrics } from '../domain/model.ts';
import type { ListedArtist, RecentPoints } from '../ports.ts';
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

/** The longest window, in days. */
export const maxWindowDays = 30;

/** Days of points that a source loads for spikes: the longest window, its slack at both ends, rounded up. */
export const recentDays = 35;

const isTrusted = (point: HistoryPoint): boolean => !point.estimated && !point.stale && !point.terminal;

/** The points of a series since a day from which spikes are computed: the trusted ones. */
export const recentPointsOf = ({ metric, points }: Series, since: Day): RecentPoints => {
  const trusted = points.filter((point) => point.date >= since && isTrusted(point));
  return { metric, days: trusted.map(({ date }) => date), values: trusted.map(({ value }) => value) };
};

const isArtistMetric = (metric: string): metric is ArtistMetric => artistMetrics.some((known) => known === metric);

/**
 * The spikes of an artist over every window, as indexes into the points of its series, each one more than the index, 0 for none.
 * Each series has `maxWindowDays + 1` of them: that of the latest point, then that of its counterpart by days of the window.
 */
export type Movements = Uint16Array;

const columns = maxWindowDays + 1;
const noMovements: Movements = new Uint16Array(0);

/** The days before a day, by how many: the first is the day itself. */
const daysBefore = (day: Day): readonly Day[] =>
  Array.from({ length: maxWindowDays + slackDays + 1 }, (_, ago) => addDays(day, -ago));

/** Calls `found` with each window over which a series is a spike, and the index of the counterpart. One pass over the points. */
const visitCounterparts = (
  { days: dates, values }: RecentPoints,
  latest: number,
  before: readonly Day[],
  { floor, thresholdPercent }: SpikeSettings,
  found: (days: number, index: number) => void,
): void => {
  const current = values[latest] ?? 0;
  let index = latest;
  for (let days = 1; days <= maxWindowDays; days++) {
    const [from = '', to = ''] = [before[days + slackDays], before[days]];
    while (index >= 0 && (dates[index] ?? '') > to) index -= 1;
    const [date, value] = [dates[index], values[index]];
    if (date === undefined || value === undefined) return;
    if (date < from || value <= 0 || value < floor) continue;
    if (growthOf(value, current, thresholdPercent) !== undefined) found(days, index);
  }
};

/** Returns a function that finds the spikes of an artist on a day, over all windows. */
export const movementFinder = (today: Day, settings: SpikeSettings): ((listed: ListedArtist) => Movements) => {
  const latestDays = daysBefore(today).slice(0, slackDays + 1);
  const beforeLatest = new Map(latestDays.map((day) => [day, daysBefore(day)]));
  return ({ recent }) => {
    let movements = noMovements;
    recent.forEach((series, row) => {
      if (!isArtistMetric(series.metric)) return;
      const latest = series.days.findLastIndex((day) => beforeLatest.has(day));
      const before = beforeLatest.get(series.days[latest] ?? '');
      if (before === undefined) return;
      visitCounterparts(series, latest, before, settings, (days, index) => {
        if (movements === noMovements) movements = new Uint16Array(recent.length * columns);
        movements[row * columns] = latest + 1;
        movements[row * columns + days] = index + 1;
      });
    });
    return movements;
  };
};

/** The number of series in `Movements`; 0 when none of them grows. */
export const rowsOf = (movements: Movements): number => movements.length / columns;

/** The spike of a series over a window; `undefined` when it is none. */
export const spikeAt = (
  { artist, recent }: ListedArtist,
  movements: Movements,
  row: number,
  days: number,
  { thresholdPercent }: SpikeSettings,
): Spike | undefined => {
  const series = recent[row];
  if (series === undefined || !isArtistMetric(series.metric)) return undefined;
  const [latest, earlier] = [(movements[row * columns] ?? 0) - 1, (movements[row * columns + days] ?? 0) - 1];
  const [to, from] = [series.days[latest], series.days[earlier]];
  const [current, previous] = [series.values[latest], series.values[earlier]];
  if (to === undefined || from === undefined || current === undefined || previous === undefined) return undefined;
  const growth = growthOf(previous, current, thresholdPercent);
  if (growth === undefined) return undefined;
  return {
    artistId: artist.id,
    artistName: artist.name,
    metric: series.metric,
    previous,
    current,
    ...growth,
    window: { days, from, to },
    engine,
    tiktok: artist.links.tiktok,
  };
};
