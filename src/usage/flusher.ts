import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, Log, UsageStore } from '../ports.ts';
import { systemClock } from '../runtime/clock.ts';
import { withStoreTimeout } from '../runtime/store-calls.ts';
import { StoreError } from '../runtime/store-error.ts';
import { createUsageCounter, type UsageCounter } from './counter.ts';

/** Writes the usage counter's totals to a store at an interval. */
interface UsageFlusher {
  /**
   * Starts the interval, until `close`. A failed write is logged once until a write succeeds; its
   * totals are written again.
   */
  start(): void;
  /** Writes now. Never rejects. */
  flush(): Promise<void>;
  /**
   * Stops the interval and writes, with retries, until all is written or the store has accepted
   * nothing for `patienceMs`. Logs the number of unwritten totals.
   */
  close(): Promise<void>;
  /** Milliseconds since the last complete write began. */
  age(): number;
  /** Failed writes since the start. */
  failures(): number;
}

interface UsageFlusherOptions {
  readonly counter: UsageCounter;
  readonly store: UsageStore;
  readonly intervalMs: number;
  /**
   * Timeout of a write, in milliseconds. Its totals are then written again. By default half a
   * minute.
   */
  readonly maxWriteMs?: number;
  /**
   * How long the last write waits for an unresponsive store, in milliseconds. A working store
   * accepts a batch much sooner.
   */
  readonly patienceMs?: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long the last write waits for the current write, and between retries, in milliseconds. */
const retryMs = 100;

/** Creates a flusher. It writes nothing until `start` or `flush`. */
export const createUsageFlusher = (options: UsageFlusherOptions): UsageFlusher => {
  const {
    counter,
    store,
    intervalMs,
    maxWriteMs = 30_000,
    patienceMs = 1_500,
    clock,
    log,
  } = options;
  let writtenAt = clock.elapsed();
  let failures = 0;
  let isFailing = false;
  let limitLogged = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    const startedAt = clock.elapsed();
    for (const { totals, confirm } of counter.unwritten()) {
      await withStoreTimeout(store.write(totals), maxWriteMs, `no reply within ${maxWriteMs} ms`);
      confirm();
    }
    counter.forget();
    writtenAt = startedAt;
  };

  const logSuccess = (): void => {
    if (isFailing) log.info({}, 'usage written again');
    isFailing = false;
  };

  const logFailure = (err: unknown): void => {
    failures += 1;
    const cause = err instanceof StoreError ? { reason: err.message, remedy: err.remedy } : { err };
    if (!isFailing)
      log.error({ ...cause, pending: counter.pending() }, 'usage not written (retrying)');
    isFailing = true;
  };

  const logLimit = (): void => {
    const uncounted = counter.uncounted();
    if (uncounted === 0 || limitLogged) return;
    log.warn({ uncounted }, 'usage not counted, counter full');
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

  /** Writes until everything is stored, or `isOver` returns true. Retries after a failure. */
  const finish = async (isOver: () => boolean): Promise<void> => {
    // The current write may be stuck from before the store recovered. Start another one instead of
    // waiting for it.
    await Promise.race([running, wait(retryMs)]);
    for (;;) {
      await write().then(logSuccess, logFailure);
      if (counter.pending() === 0 || isOver()) return;
      await wait(retryMs);
    }
  };

  return {
    start: schedule,
    flush,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      let isOver = false;
      const finished = finish(() => isOver).then(() => true);
      let lost = Number.POSITIVE_INFINITY;
      while (!isOver && counter.pending() < lost) {
        lost = counter.pending();
        isOver = await Promise.race([finished, wait(patienceMs, false, { ref: false })]);
      }
      isOver = true;
      lost = counter.pending();
      if (lost > 0) log.warn({ lost }, 'usage lost at shutdown');
    },
    age: () => clock.elapsed() - writtenAt,
    failures: () => failures,
  };
};

export type UsageRecorder = UsageCounter & UsageFlusher;

/**
 * Creates a recorder and starts writing every `intervalMs` milliseconds. Uses the system clock,
 * even with `FIXED_NOW`, to count usage on the real day.
 */
export const createUsageRecorder = (
  store: UsageStore,
  intervalMs: number,
  log: Log,
): UsageRecorder => {
  const clock = systemClock();
  const counter = createUsageCounter({ clock, instance: randomUUID() });
  const flusher = createUsageFlusher({ counter, store, intervalMs, clock, log });
  flusher.start();
  return { ...counter, ...flusher };
};
