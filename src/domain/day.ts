import { dayMs } from './time.ts';

/** A calendar day in UTC, `YYYY-MM-DD`. Compare days as strings. */
export type Day = string;

const earliest = Date.parse('0000-01-01T00:00:00.000Z');

/** The UTC day of a time (epoch milliseconds). */
export const dayOf = (instant: number): Day => new Date(instant).toISOString().slice(0, 10);

/** Adds `days` (may be negative) to a day. The result is never before year 0000. */
export const addDays = (day: Day, days: number): Day =>
  dayOf(Math.max(earliest, Date.parse(day) + days * dayMs));

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export const daysBetween = (from: Day, to: Day): number =>
  (Date.parse(to) - Date.parse(from)) / dayMs;
