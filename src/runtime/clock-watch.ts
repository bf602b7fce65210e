import type { Log } from '../ports.ts';

/** Maximum clock difference that is not reported, in milliseconds. */
export const maxClockMs = 2_000;

/** How far a store's clock is ahead of the machine's. */
export interface ClockWatch {
  /** Milliseconds at the last reading; `undefined` before the first. */
  aheadMs(): number | undefined;
  /** Records a reading, with the node if there are several. */
  note(aheadMs: number, node?: string | undefined): void;
}

/** Creates a watch that logs once when the clocks differ, and once when they agree again. */
export const createClockWatch = (store: string, log: Log): ClockWatch => {
  let last: number | undefined;
  let differs = false;
  return {
    aheadMs: () => last,
    note(aheadMs, node) {
      last = aheadMs;
      const distance = Math.abs(aheadMs);
      if (!differs && distance > maxClockMs) {
        const remedy = 'synchronise both with NTP';
        log.warn({ store, node, aheadMs: Math.round(aheadMs), remedy }, 'clocks differ');
        differs = true;
      } else if (differs && distance < maxClockMs / 2) {
        log.info({ store }, 'clocks agree again');
        differs = false;
      }
    },
  };
};
