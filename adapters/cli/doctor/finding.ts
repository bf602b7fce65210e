/** One line of the doctor's report. */
export interface Finding {
  readonly check: string;
  /** `mend`: must be mended, exit code 1. `note`: works, but see the advice. */
  readonly state: 'ok' | 'note' | 'mend';
  readonly found: string;
  /** What to do. */
  readonly advice?: string;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found });
export const remark = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'note',
  found,
  advice,
});
export const mend = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'mend',
  found,
  advice,
});

/** Clocks may differ by this much, in milliseconds: answers, windows and expiries then differ by as much. */
const maxClockMs = 2_000;

/** Judges how far a store's clock is ahead of the machine's, in milliseconds. */
export const judgeClock = (check: string, aheadMs: number | undefined): Finding => {
  if (aheadMs === undefined || Number.isNaN(aheadMs))
    return remark(check, 'unknown', "compare it with the machine's by hand");
  const found = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`;
  return Math.abs(aheadMs) <= maxClockMs ? ok(check, found) : mend(check, found, 'synchronise both with NTP');
};
