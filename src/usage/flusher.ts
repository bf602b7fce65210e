import { setTimeout as wait } from 'node:timers/promises';
import { addDays, dayOf } from '../domain/day.ts';
import type { Clock, Log, UsageStore } from '../ports.ts';
import type { UsageCounter } from './counter.ts';

/** Writes the usage counter's totals to a store on an interval. */
export interface UsageFlusher {
  /** Starts the interval, until `close`. A failed write is logged once until one succeeds; its totals are written again. */
  start(): void;
  /** Writes now. Never rejects. */
  flush(): Promise<void>;
  /** Stops the interval and writes a last time, for at most `withinMs` milliseconds. Logs the number of unwritten totals. */
  close(withinMs: number): Promise<void>;
  /** Milliseconds since everything counted until then was written. */
  age(): number;
  /** Failed writes since the start. */
  failures(): number;
}

export interface UsageFlusherOptions {
  readonly counter: UsageCounter;
  readonly store: UsageStore;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Retention in days: day totals for a year to compare with, hour totals for a week. */
const maxDayTotalAge = 400;
const maxHourTotalAge = 8;
const dayMs = 86_400_000;

/** How often older totals are removed from the store. */
const removeIntervalMs = 3_600_000;

/** Creates a flusher; it writes nothing until `start` or `flush`. */
export const createUsageFlusher = (options: UsageFlusherOptions): UsageFlusher => {
  const { counter, store, intervalMs, clock, log } = options;
  let writtenAt = clock.elapsed();
  let removedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let isFailing = false;
  let limitLogged = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const removeOld = async (): Promise<void> => {
    if (clock.elapsed() - removedAt < removeIntervalMs) return;
    const now = clock.now();
    await store.remove(addDays(dayOf(now), -maxDayTotalAge), now - maxHourTotalAge * dayMs);
    removedAt = clock.elapsed();
  };

  const write = async (): Promise<void> => {
    const startedAt = clock.elapsed();
    for (const { totals, confirm } of counter.unwritten()) {
      await store.write(totals);
      confirm();
    }
    counter.forget();
    writtenAt = startedAt;
    await removeOld();
  };

  const logSuccess = (): void => {
    if (isFailing) log.info({}, 'usage written again');
    isFailing = false;
  };

  const logFailure = (err: unknown): void => {
    failures += 1;
    if (!isFailing) log.error({ err, pending: counter.pending() }, 'usage not written (retrying)');
    isFailing = true;
  };

  const logLimit = (): void => {
    const uncounted = counter.uncounted();
    if (uncounted === 0 || limitLogged) return;
    log.warn({ uncounted }, 'usage not counted: the counter is full');
    limitLogged = true;
  };

  const flush = (): Promise<void> => {
    running ??= write()
      .then(logSuccess, logFailure)
      .finally(() => {
        logLimit();
        running = undefined;
      });
    return running;
  };

  const schedule = (): void => {
    if (isClosed) return;
    timer = setTimeout(() => void flush().then(schedule), intervalMs).unref();
  };

  /** A running write may have begun before the last request was counted, so another one follows it. */
  const finish = async (): Promise<void> => {
    await running;
    await flush();
  };

  return {
    start: schedule,
    flush,
    async close(withinMs) {
      isClosed = true;
      clearTimeout(timer);
      await Promise.race([finish(), wait(withinMs, undefined, { ref: false })]);
      const lost = counter.pending();
      if (lost > 0) log.warn({ lost }, 'usage lost at the end');
    },
    age: () => clock.elapsed() - writtenAt,
    failures: () => failures,
  };
};
