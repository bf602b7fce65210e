/** Formats an instant (epoch milliseconds) as ISO 8601 in UTC, for tables and JSON; `undefined` stays `undefined`. */
export const formatInstant = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
] as const;

/** Formats a duration (milliseconds) in its two largest units: `6d 23h`, `45s`. Negative durations are `0s`. */
export const durationText = (ms: number): string => {
  let remainingMs = Math.max(0, ms);
  const parts = units.map(([lengthMs, unit]) => {
    const count = Math.floor(remainingMs / lengthMs);
    remainingMs -= count * lengthMs;
    return { count, unit };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return '0s';
  const shown = parts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ count, unit }) => `${count}${unit}`).join(' ');
};
