import type { Clock, Log } from '../ports.ts';
import { withStoreTimeout } from './store-calls.ts';
import { describeFailure } from './store-error.ts';

/** Keeps a value up to date by reloading it from its source. */
export interface Refresher<Value> {
  /** The last loaded value, regardless of its age; `undefined` until the first load succeeds. */
  value(): Value | undefined;
  /** True if the last successful load is at most `maxStalenessMs` old. */
  isFresh(): boolean;
  /** Milliseconds since the last successful load; `undefined` before the first. */
  age(): number | undefined;
  /** Why the last load failed; `undefined` if it succeeded. */
  failure(): string | undefined;
  /** Loads now. Rejects if the source does, and keeps the last value. */
  refresh(): Promise<void>;
  /**
   * Serves the value of an earlier process until the first refresh succeeds. Call it before
   * `start`. Resolves to true if there is a value; never rejects.
   */
  recall(): Promise<boolean>;
  /**
   * Refreshes at the interval until stopped, and immediately if nothing is loaded yet. Failures are
   * logged and retried. Has no effect after a previous start or stop. Resolves after the first
   * refresh, even if it failed; never rejects.
   */
  start(): Promise<void>;
  stop(): void;
}

export interface RefresherOptions<Value> {
  /** The source's name in the log. */
  readonly name: string;
  /** Loads a value. May return `previous` again if nothing changed. */
  readonly load: (previous: Value | undefined) => Promise<Value>;
  /** Returns the value of an earlier process, and its age in milliseconds. */
  readonly recall?: () => Promise<{ readonly value: Value; readonly age: number } | undefined>;
  readonly intervalMs: number;
  readonly maxStalenessMs: number;
  /**
   * Timeout of a load, in milliseconds; by default a fifth of `maxStalenessMs`, between half a
   * minute and 10 minutes.
   */
  readonly maxLoadMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after every load with its duration in milliseconds, and if it succeeded. */
  readonly observe?: (ms: number, succeeded: boolean) => void;
}

/** Maximum interval before the first value is loaded, in milliseconds. */
const maxFirstIntervalMs = 500;

/** A load of 50,000 artists takes less than the minimum, even on a slow machine. */
const [minDeadlineMs, maxDeadlineMs] = [30_000, 600_000];

/**
 * Shortens the interval by up to 10 %, so that replicas spread out and no change appears later than
 * the interval.
 */
const jittered = (intervalMs: number): number => intervalMs * (1 - Math.random() * 0.1);

/** Creates a refresher; it loads nothing until `start` or `refresh`. */
export const createRefresher = <Value>(options: RefresherOptions<Value>): Refresher<Value> => {
  const {
    name,
    load,
    recall,
    intervalMs,
    maxStalenessMs,
    clock,
    log,
    observe = () => {},
  } = options;
  const { maxLoadMs = Math.min(maxDeadlineMs, Math.max(minDeadlineMs, maxStalenessMs / 5)) } =
    options;
  let current: { readonly value: Value } | undefined;
  let hasLoaded = false;
  let failure: string | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let state: 'idle' | 'started' | 'stopped' = 'idle';

  const loadOnce = async (): Promise<void> => {
    const startedAt = clock.elapsed();
    try {
      const loading = load(current?.value);
      // A reply may never arrive: without the timeout, a stuck load would be the last load.
      current = {
        value: await withStoreTimeout(loading, maxLoadMs, `no reply within ${maxLoadMs} ms`),
      };
      hasLoaded = true;
      loadedAt = clock.elapsed();
      failure = undefined;
      observe(loadedAt - startedAt, true);
    } catch (cause) {
      failure = describeFailure(cause);
      observe(clock.elapsed() - startedAt, false);
      throw cause;
    }
  };

  const refresh = (): Promise<void> => {
    running ??= loadOnce().finally(() => {
      running = undefined;
    });
    return running;
  };

  const schedule = (): void => {
    if (state === 'stopped') return;
    const delay =
      current === undefined ? Math.min(maxFirstIntervalMs, intervalMs) : jittered(intervalMs);
    timer = setTimeout(() => void refreshAndSchedule(), delay);
    timer.unref();
  };

  const refreshAndSchedule = async (): Promise<void> => {
    await refresh().catch((cause: unknown) => {
      // A stop closes the store, which fails a running load.
      if (state !== 'stopped') log.error({ source: name, err: cause }, 'refresh failed');
    });
    schedule();
  };

  /** Takes the time before reading the value, so that the value never seems fresher than it is. */
  const recallOnce = async (): Promise<boolean> => {
    const startedAt = clock.elapsed();
    const recalled = await recall?.();
    if (recalled === undefined) return false;
    current = { value: recalled.value };
    loadedAt = startedAt - recalled.age;
    return true;
  };

  return {
    value: () => current?.value,
    isFresh: () => current !== undefined && clock.elapsed() - loadedAt <= maxStalenessMs,
    failure: () => failure,
    age: () => (current === undefined ? undefined : clock.elapsed() - loadedAt),
    refresh,
    recall: () =>
      recallOnce().catch((cause: unknown) => {
        log.error({ source: name, err: cause }, 'copy not usable');
        return false;
      }),
    async start() {
      if (state !== 'idle') return;
      state = 'started';
      if (hasLoaded) schedule();
      else await refreshAndSchedule();
    },
    stop() {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
};
