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
