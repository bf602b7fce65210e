import type { Clock, Log } from '../ports.ts';
import type { Refresher } from './refresher.ts';

/** One part of `/ready`. */
export interface HealthCheck {
  readonly name: string;
  /** True if the operator planned the outage. Then it is not logged as a warning. */
  readonly isPlanned?: boolean;
  /** Returns why the part is not ready; `undefined` if it is. Never rejects. */
  check(): Promise<string | undefined> | string | undefined;
}

/** Checks that a refresher's value is fresh and usable: `problemOf` returns why it is not usable. */
export const refresherCheck = <Value>(
  name: string,
  refresher: Refresher<Value>,
  problemOf: (value: Value) => string | undefined,
): HealthCheck => ({
  name,
  check() {
    const value = refresher.value();
    if (refresher.isFresh() && value !== undefined) return problemOf(value);
    const age = refresher.age();
    const state =
      age === undefined ? 'never loaded' : `last loaded ${Math.round(age / 1000)} s ago`;
    const failure = refresher.failure();
    return failure === undefined ? state : `${state}: ${failure}`;
  },
});

/** The state of one part, and when it last changed. */
interface CheckState {
  readonly ready: boolean;
  /** ISO 8601, UTC. */
  readonly since: string;
  readonly reason?: string;
}

const intervalMs = 1_000;

/**
 * How long a part may take to become ready after the start before it is logged, in milliseconds.
 */
const startMs = 5_000;

/**
 * Creates the health checks of a gateway. Logs when a part stops being ready and when it is ready
 * again.
 */
export const createHealthChecks = (parts: readonly HealthCheck[], clock: Clock, log: Log) => {
  const states = new Map<string, CheckState>();
  /** Unready parts that were logged, and since when they are unready. */
  const reported = new Map<string, string>();
  const createdAt = clock.elapsed();
  let running: ReturnType<typeof checkParts> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Logs each unready part once. After the start, parts get a few seconds to load. */
  const logState = (
    { name, isPlanned }: HealthCheck,
    { ready, since, reason }: CheckState,
    wasReady: boolean,
  ): void => {
    const notReadySince = reported.get(name);
    if (ready && notReadySince !== undefined)
      log.info({ part: name, notReadySince }, 'ready again');
    if (ready) reported.delete(name);
    else if (notReadySince === undefined && (wasReady || clock.elapsed() - createdAt >= startMs)) {
      reported.set(name, since);
      log[isPlanned ? 'info' : 'warn']({ part: name, reason }, 'not ready');
    }
  };

  const record = (part: HealthCheck, reason: string | undefined): void => {
    const { name } = part;
    const before = states.get(name);
    const ready = reason === undefined;
    const since = before?.ready === ready ? before.since : new Date(clock.now()).toISOString();
    const state = { ready, since, ...(!ready && { reason }) };
    states.set(name, state);
    logState(part, state, before?.ready === true);
  };

  const report = () => ({
    ready: parts.every(({ name }) => states.get(name)?.ready === true),
    parts: Object.fromEntries<CheckState>(states),
  });

  const checkParts = async () => {
    const reasons = await Promise.all(parts.map(({ check }) => check()));
    for (const [index, part] of parts.entries()) record(part, reasons[index]);
    return report();
  };

  const check = () => {
    running ??= checkParts().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    /** Checks every part now. Concurrent calls share one check. Never rejects. */
    check,
    last: report,
    /**
     * Checks every second until stopped, so that `since` is right even if `/ready` is never
     * requested.
     */
    start(): void {
      void check();
      timer = setInterval(() => void check(), intervalMs).unref();
    },
    stop: () => clearInterval(timer),
  };
};

export type HealthChecks = ReturnType<typeof createHealthChecks>;
