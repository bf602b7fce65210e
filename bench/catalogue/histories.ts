import { type ArtistDocument, dayBefore, lastDay } from './artists.ts';
import { createRandom } from './random.ts';

export interface SeriesDocument {
  readonly artist_id: string;
  readonly metric: string;
  readonly points: readonly { readonly date: string; readonly value: number }[];
}

/** One point a day until the last day. */
const perDay = (
  days: number,
  until: number,
  valueAt: (day: number) => number,
): SeriesDocument['points'] =>
  Array.from({ length: days }, (_, day) => ({
    date: dayBefore(days - 1 - day, until),
    value: valueAt(day),
  }));

const pointsOf = (seed: number, days: number, until: number): SeriesDocument['points'] => {
  const random = createRandom(seed);
  let value = 1_000 + random.below(1_000_000);
  return perDay(days, until, () => (value += random.below(1_000)));
};

export const generateOwnHistory = (
  { id, metrics }: ArtistDocument,
  days: number,
  until = lastDay,
): SeriesDocument[] =>
  Object.keys(metrics).map((metric, index) => ({
    artist_id: id,
    metric,
    points: pointsOf(index, days, until),
  }));

/**
 * Days of points, each a quarter above the one before: every series is a spike over every window.
 */
const growingDays = 36;

export const growingSeries = (
  { id, metrics }: ArtistDocument,
  number: number,
  now: number,
): SeriesDocument[] =>
  Object.keys(metrics).map((metric, index) => ({
    artist_id: id,
    metric,
    points: perDay(growingDays, now, (day) =>
      Math.round((1_000 + index + (number % 100)) * 1.25 ** day),
    ),
  }));
