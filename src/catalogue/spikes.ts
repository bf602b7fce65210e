import { addDays, type Day } from '../domain/day.ts';
import type { Artist, ArtistMetric, Engine, HistoryPoint, Series, Spike } from '../domain/model.ts';
import { artistMetrics } from '../domain/model.ts';
import { compareSpikes } from '../domain/order.ts';
import type { ListedArtist } from '../ports.ts';
import { weakMemo } from '../runtime/memo.ts';

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

/** What spikes are looked for with: a window that ends today or a little earlier. */
interface Search {
  readonly days: number;
  readonly today: Day;
  readonly settings: SpikeSettings;
  /** The earliest day a latest point may be of. */
  readonly since: Day;
  /** The days between which the counterpart of a point of some day has to lie. */
  readonly counterpart: (day: Day) => readonly [from: Day, to: Day];
}

/** Latest points are of few days, so what follows from a day is worked out once. */
const createSearch = (days: number, today: Day, settings: SpikeSettings): Search => {
  const counterparts = new Map<Day, readonly [Day, Day]>();
  return {
    days,
    today,
    settings,
    since: addDays(today, -slackDays),
    counterpart(day) {
      const known = counterparts.get(day) ?? [addDays(day, -days - slackDays), addDays(day, -days)];
      counterparts.set(day, known);
      return known;
    },
  };
};

const spikeOf = (
  artist: Artist,
  metric: ArtistMetric,
  series: Series,
  { days, today, settings, since, counterpart }: Search,
): Spike | undefined => {
  const current = latestTrusted(series.points, since, today);
  if (current === undefined) return undefined;
  const previous = latestTrusted(series.points, ...counterpart(current.date));
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

const spikesOf = ({ artist, recent }: ListedArtist, search: Search): readonly Spike[] =>
  recent.flatMap((series) => {
    const spike = isArtistMetric(series.metric) ? spikeOf(artist, series.metric, series, search) : undefined;
    return spike ?? [];
  });

/** Finds spikes by one rule. */
export interface SpikeFinder {
  readonly settings: SpikeSettings;
  /**
   * Every spike on `today` over a comparison window of `days`, in the list's order (specification, "GET /api/v1/spikes").
   * Only trusted points count: neither estimated nor stale nor terminal.
   */
  find(artists: readonly ListedArtist[], days: number, today: Day): readonly Spike[];
}

/** Spikes of artists by window. */
const createFoundSpikes = () =>
  // Bound: one list for each artist and window of 1 to 30 days; key: listed artist, window; lifetime: the artist, at most the day.
  weakMemo<ListedArtist, readonly Spike[], number>();

/** A finder that looks at an artist again only when it changed, or on another day. */
export const createSpikeFinder = (settings: SpikeSettings): SpikeFinder => {
  let found = createFoundSpikes();
  let foundOn: Day | undefined;
  return {
    settings,
    find(artists, days, today) {
      if (today !== foundOn) found = createFoundSpikes(); // windows end today
      foundOn = today;
      const search = createSearch(days, today, settings);
      const spikes = artists.flatMap((listed) => found(listed, () => spikesOf(listed, search), days));
      return spikes.sort(compareSpikes);
    },
  };
};
