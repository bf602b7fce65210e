import { setTimeout as wait } from 'node:timers/promises';
import { addDays, dayOf } from '../domain/day.ts';
import type { Clock, Log, UsageStore } from '../ports.ts';
import type { UsageCounter } from './counter.ts';

/** Writes what was counted, so often that little is lost with the process. */
export interface UsageFlusher {
  /** Writes on the interval until closed. A failure is logged once, until writing succeeds again; nothing is lost by it. */
  start(): void;
  /** Writes now. Never rejects. */
  flush(): Promise<void>;
  /** Writes for the last time, for at most so many milliseconds. */
  close(withinMs: number): Promise<void>;
  /** Milliseconds since everything that had been counted was written. */
  age(): number;
  /** Times that writing failed. */
  failures(): number;
}

export interface UsageFlusherOptions {
  readonly counter: UsageCounter;
  readonly store: UsageStore;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long counts are kept: a year to compare with, and a week of minutes. */
const daysKept = 400;
const minuteDaysKept = 8;
const dayMs = 86_400_000;

/** How often the store is asked to remove what is older. */
const removeEveryMs = 3_600_000;

export const createUsageFlusher = (options: UsageFlusherOptions): UsageFlusher => {
  const { counter, store, intervalMs, clock, log } = options;
  let writtenAt = clock.elapsed();
  let removedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let isFailing = false;
  let hasToldLimit = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const removeOld = async (): Promise<void> => {
    if (clock.elapsed() - removedAt < removeEveryMs) return;
    const now = clock.now();
    await store.remove(addDays(dayOf(now), -daysKept), now - minuteDaysKept * dayMs);
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

  const noteSuccess = (): void => {
    if (isFailing) log.info({}, 'usage is written again');
    isFailing = false;
  };

  const noteFailure = (err: unknown): void => {
    failures += 1;
    if (!isFailing) log.error({ err, pending: counter.pending() }, 'usage not written');
    isFailing = true;
  };

  const noteLimit = (): void => {
    const uncounted = counter.uncounted();
    if (uncounted === 0 || hasToldLimit) return;
    log.warn({ uncounted }, 'usage not counted: no room for anything new');
    hasToldLimit = true;
  };

  const flush = (): Promise<void> => {
    running ??= write()
      .then(noteSuccess, noteFailure)
      .finally(() => {
        noteLimit();
        running = undefined;
      });
    return running;
  };

  const schedule = (): void => {
    if (isClosed) return;
    timer = setTimeout(() => void flush().then(schedule), intervalMs).unref();
  };

  /** What is being written may have been taken before the last request was counted. */
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
