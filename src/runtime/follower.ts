import type { Clock, Log } from '../ports.ts';

/** A value that follows its source. */
export interface Follower<Value> {
  /** The last good value, however old; `undefined` until the first load succeeds. */
  value(): Value | undefined;
  /** Whether the source answered recently enough to rely on the value. */
  isFresh(): boolean;
  /** Milliseconds since the source last answered; `undefined` until it first did. */
  age(): number | undefined;
  /** Loads now. Rejects when the source does, and keeps the last good value. */
  refresh(): Promise<void>;
  /**
   * Refreshes on the interval until stopped, at once when there is no value yet. A failure is logged and tried again.
   * Once is enough: what was started or stopped before is left as it is.
   */
  start(): void;
  stop(): void;
}

export interface FollowerOptions<Value> {
  /** What is followed, as the log calls it. */
  readonly name: string;
  /** Loads a value; gets the one it replaces, which it may return again. */
  readonly load: (previous: Value | undefined) => Promise<Value>;
  readonly intervalMs: number;
  readonly maxStalenessMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every load: how long it took, and whether the source answered. */
  readonly observe?: (ms: number, answered: boolean) => void;
}

/** How often to try while there is no value at all, in milliseconds. */
const firstTriesMs = 500;

/** Up to a tenth shorter, never longer: many gateways spread out, and no change shows later than promised. */
const jittered = (intervalMs: number): number => intervalMs * (1 - Math.random() * 0.1);

export const createFollower = <Value>(options: FollowerOptions<Value>): Follower<Value> => {
  const { name, load, intervalMs, maxStalenessMs, clock, log, observe = () => {} } = options;
  let current: { readonly value: Value } | undefined;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let state: 'idle' | 'started' | 'stopped' = 'idle';

  const loadOnce = async (): Promise<void> => {
    const startedAt = clock.elapsed();
    try {
      current = { value: await load(current?.value) };
      answeredAt = clock.elapsed();
      observe(answeredAt - startedAt, true);
    } catch (cause) {
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
    const delay = current === undefined ? Math.min(firstTriesMs, intervalMs) : jittered(intervalMs);
    timer = setTimeout(() => void turn(), delay);
    timer.unref();
  };

  const turn = async (): Promise<void> => {
    await refresh().catch((cause: unknown) => log.error({ source: name, err: cause }, 'refresh failed'));
    schedule();
  };

  return {
    value: () => current?.value,
    isFresh: () => current !== undefined && clock.elapsed() - answeredAt <= maxStalenessMs,
    age: () => (current === undefined ? undefined : clock.elapsed() - answeredAt),
    refresh,
    start() {
      if (state !== 'idle') return;
      state = 'started';
      if (current === undefined) void turn();
      else schedule();
    },
    stop() {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
};
