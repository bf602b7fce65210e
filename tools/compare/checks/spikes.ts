import type { SpikeSettings } from '../../../src/catalogue/movements.ts';
import { addDays, type Day, daysBetween } from '../../../src/domain/day.ts';
import {
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
  valueAt,
} from '../../../src/domain/json.ts';
import { artistMetrics } from '../../../src/domain/model.ts';
import { requestedNumber } from '../../migration/mapping/request-rows.ts';
import { byMembers, type ListCheck } from './list-check.ts';
import { byText, greatestFirst, thenBy } from './orders.ts';

/** Days that each of the two compared points may be older than the window. */
export const slackDays = 2;

/** The longest window. */
export const maxDays = 30;

/**
 * Numbers as whole multiples of 10^-places, as many places as the longest needs: sums and
 * comparisons of them are exact.
 */
const exact = (...values: readonly number[]) => {
  const decimals = values.map((value) => {
    const [, whole = '', fraction = '', exponent = '0'] =
      /^(-?\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(String(value)) ?? [];
    return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) };
  });
  const places = Math.max(0, ...decimals.map((one) => one.places));
  return {
    places,
    multiples: decimals.map((one) => one.digits * 10n ** BigInt(places - one.places)),
  };
};

/**
 * The difference of two values, and the growth in per cent with two decimals, rounded once, half
 * up.
 */
const changeBetween = (previous: number, current: number) => {
  const { places, multiples } = exact(previous, current);
  const [from = 0n, to = 0n] = multiples;
  return {
    delta: Number(`${to - from}e-${places}`),
    percent_change: Number(`${(20_000n * (to - from) + from) / (2n * from)}e-2`),
  };
};

/**
 * True if the growth is exactly between two hundredths of a percent: rounding down, or half to
 * even, gives another value.
 */
export const isHalfUp = (previous: number, current: number): boolean => {
  if (previous <= 0) return false;
  const [from = 1n, to = 1n] = exact(previous, current).multiples;
  const doubled = 20_000n * (to - from) + from;
  return doubled % (2n * from) === 0n && (doubled / (2n * from)) % 2n === 1n;
};

interface CountedSeries {
  readonly artist: Json;
  readonly metric: string;
  readonly points: readonly Json[];
}

export const isTrusted = (point: Json): boolean =>
  !['estimated', 'stale', 'terminal'].some((flag) => valueAt(point, flag) === true);

export const seriesOf = (
  artists: readonly Json[],
  counts: (point: Json) => boolean = isTrusted,
): CountedSeries[] =>
  artists.flatMap((artist) =>
    artistMetrics.map((metric) => {
      const points = listAt(artist, `history.${metric}`).filter(counts);
      return { artist, metric, points: points.toSorted(byText('date')) };
    }),
  );

export interface PointPair extends CountedSeries {
  readonly previous: number;
  readonly current: number;
  readonly from: Day;
  readonly to: Day;
  readonly apart: number;
}

/**
 * The latest point up to today, and the latest one at least `days` before it; `undefined` where the
 * series lacks one.
 */
export const pairOf = (series: CountedSeries, days: number, today: Day): PointPair | undefined => {
  const latestUpTo = (day: Day) =>
    series.points.findLast((point) => (textAt(point, 'date') ?? '') <= day);
  const later = latestUpTo(today);
  const to = textAt(later, 'date');
  const earlier = to && latestUpTo(addDays(to, -days));
  const from = earlier && textAt(earlier, 'date');
  if (!to || !from) return undefined;
  const [previous, current] = [numberAt(earlier, 'value') ?? 0, numberAt(later, 'value') ?? 0];
  return { ...series, previous, current, from, to, apart: daysBetween(from, to) };
};

/** How far the growth is above the threshold, in percentage points; 0 only exactly at it. */
export const aboveThreshold = (
  { previous, current }: Pick<PointPair, 'previous' | 'current'>,
  { thresholdPercent }: Pick<SpikeSettings, 'thresholdPercent'>,
): number => {
  if (previous <= 0 || current <= previous) return Number.NEGATIVE_INFINITY;
  const about = ((current - previous) * 100) / previous - thresholdPercent;
  if (Math.abs(about) > 1e-6) return about;
  const { places, multiples } = exact(previous, current, thresholdPercent);
  const [from = 0n, to = 0n, threshold = 0n] = multiples;
  return Math.sign(Number((to - from) * 100n * 10n ** BigInt(places) - threshold * from)) * 1e-6;
};

/** The spikes over a window, in list order, as the current form answers them. */
export const expectedSpikes = (
  artists: readonly Json[],
  {
    days,
    today,
    settings,
  }: { readonly days: number; readonly today: Day; readonly settings: SpikeSettings },
): readonly JsonObject[] =>
  seriesOf(artists)
    .flatMap((series) => pairOf(series, days, today) ?? [])
    .filter(
      (pair) =>
        daysBetween(pair.to, today) <= slackDays &&
        pair.apart <= days + slackDays &&
        pair.previous >= settings.floor &&
        aboveThreshold(pair, settings) >= 0,
    )
    .map(
      ({ artist, metric, previous, current, from, to }): JsonObject => ({
        artist_id: textAt(artist, 'id') ?? '',
        artist_name: textAt(artist, 'name') ?? '',
        metric,
        previous,
        current,
        ...changeBetween(previous, current),
        window: { days, from, to },
        links: valueAt(artist, 'links') ?? {},
      }),
    )
    .filter(({ percent_change }) => Number.isFinite(percent_change))
    .sort(
      thenBy(
        greatestFirst('percent_change'),
        greatestFirst('delta'),
        byText('artist_id'),
        byText('metric'),
      ),
    );

export const spikeCheck: ListCheck = {
  table: 'spike',
  identify: () => byMembers('artist_name', 'metric'),
  identity: ['artist_id', 'metric'],
  keyMembers: [
    'artist_id',
    'artist_name',
    'metric',
    'percent_change',
    'delta',
    'previous',
    'current',
    'window.from',
    'window.to',
  ],
  expectedItems: ({ artists, spikes: settings }, { path, today, items }) => {
    const days = requestedNumber('current', path, 'days') ?? 0;
    const engine = valueAt(items[0], 'engine') ?? null; // the gateway's own, the same in every item
    return expectedSpikes(artists, { days, today, settings }).map((spike) => ({
      ...spike,
      engine,
    }));
  },
};
