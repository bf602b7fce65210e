import { dayMs, hourMs, minuteMs } from './time.ts';

// Formats counts, times and durations for people.

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/**
 * A number and its noun: `1 key`, `2 keys`. `several` is the noun for every other number, even 0.
 */
export const countOf = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

/**
 * A time (epoch milliseconds) in ISO 8601, UTC with milliseconds; `undefined` for `undefined` and
 * `NaN`.
 */
export const formatInstant = (instant: number | undefined): string | undefined =>
  instant === undefined || Number.isNaN(instant) ? undefined : new Date(instant).toISOString();

/** A text that `formatInstant` wrote. */
export const instantText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const units = [
  [dayMs, 'd'],
  [hourMs, 'h'],
  [minuteMs, 'm'],
  [1_000, 's'],
] as const;

/** A duration in milliseconds, in its two largest units: `6d 23h`, `45s`. */
export const formatDuration = (ms: number): string => {
  let rest = Math.max(0, ms);
  const parts = units.map(([length, unit]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return { count, unit };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return '0s';
  const shown = parts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ count, unit }) => `${count}${unit}`).join(' ');
};

/**
 * The distance of a time from now (both epoch milliseconds), in its largest unit: `3 d ago`, `in 41
 * d`.
 */
export const formatDistance = (instant: number, now: number): string => {
  const ms = Math.abs(instant - now);
  const [length, unit] = units.find(([unitMs]) => ms >= unitMs) ?? [1_000, 's'];
  const text = `${Math.floor(ms / length)} ${unit === 'm' ? 'min' : unit}`;
  return instant > now ? `in ${text}` : `${text} ago`;
};
