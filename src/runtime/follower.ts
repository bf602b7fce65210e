import type { Clock, Log } from '../ports.ts';
import { withStoreTimeout } from './store-calls.ts';
import { describeFailure } from './store-error.ts';

/** Keeps a value up to date by reloading it from its source. */
export interface Follower<Value> {
  /** The last value that was loaded, however old; `undefined` until the first load succeeds. */
  value(): Value | undefined;
  /** True if the last successful load is at most `maxStalenessMs` old. */
  isFresh(): boolean;
  /** Milliseconds since the last successful load; `undefined` before the first. */
  age(): number | undefined;
  /** Why the last load failed; `undefined` when it succeeded. */
  failure(): string | undefined;
  /** Loads now. Rejects when the source does, and keeps the last value. */
  refresh(): Promise<void>;
  /**
   * Serves the value of an earlier process until the first refresh succeeds. Resolves with whether
   * there is one; never rejects. To be called before `start`.
   */
  recall(): Promise<boolean>;
  /**
   * Refreshes on the interval until stopped, immediately when nothing was loaded yet. A failure
   * before the stop is logged and retried. Has no effect on a follower that was started or stopped
   * before. Resolves when the first refresh has ended, whether or not it succeeded; never rejects.
   */
  start(): Promise<void>;
  stop(): void;
}

export interface FollowerOptions<Value> {
  /** The source's name in the log. */
  readonly name: string;
  /** Loads a value. It may return `previous` again when nothing changed. */
  readonly load: (previous: Value | undefined) => Promise<Value>;
  /**
   * Returns the value that an earlier process had, with the milliseconds since its source answered.
   */
  readonly recall?: () => Promise<{ readonly value: Value; readonly age: number } | undefined>;
  readonly intervalMs: number;
  readonly maxStalenessMs: number;
  /**
   * Milliseconds after which a load is given up; by default a fifth of `maxStalenessMs`, from half
   * a minute to 10 minutes.
   */
  readonly maxLoadMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after every load with its duration in milliseconds and whether it succeeded. */
  readonly observe?: (ms: number, answered: boolean) => void;
}

/** The longest interval while there is no value at all, in milliseconds. */
const maxFirstIntervalMs = 500;

/** A load of 50,000 artists takes less than the shortest, also on a slow machine. */
const [minDeadlineMs, maxDeadlineMs] = [30_000, 600_000];

/**
 * Shortens the interval by up to 10 %: replicas spread out, and no change shows later than the
 * interval.
 */
const jittered = (intervalMs: number): number => intervalMs * (1 - Math.random() * 0.1);

/** Creates a follower; it loads nothing until `start` or `refresh`. */
export const createFollower = <Value>(options: FollowerOptions<Value>): Follower<Value> => {
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
  let answeredAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let state: 'idle' | 'started' | 'stopped' = 'idle';

  const loadOnce = async (): Promise<void> => {
    const startedAt = clock.elapsed();
    try {
      const loading = load(current?.value);
      // A reply may be lost for good: a load that never ended would be the last one.
      current = {
        value: await withStoreTimeout(loading, maxLoadMs, `no answer within ${maxLoadMs} ms`),
      };
      hasLoaded = true;
      answeredAt = clock.elapsed();
      failure = undefined;
      observe(answeredAt - startedAt, true);
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
      // a stop closes the store, which fails the load that it interrupts
      if (state !== 'stopped') log.error({ source: name, err: cause }, 'refresh failed');
    });
    schedule();
  };

  /** The age is counted from before the value is read: never fresher than it is. */
  const recallOnce = async (): Promise<boolean> => {
    const startedAt = clock.elapsed();
    const recalled = await recall?.();
    if (recalled === undefined) return false;
    current = { value: recalled.value };
    answeredAt = startedAt - recalled.age;
    return true;
  };

  return {
    value: () => current?.value,
    isFresh: () => current !== undefined && clock.elapsed() - answeredAt <= maxStalenessMs,
    failure: () => failure,
    age: () => (current === undefined ? undefined : clock.elapsed() - answeredAt),
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
