import type { Clock, Log } from '../ports.ts';
import type { Follower } from './follower.ts';

/** Something that must be well for requests to be sent here. */
export interface HealthCheck {
  readonly name: string;
  /** Why it is not ready; `undefined` when it is. Never rejects. */
  check(): Promise<string | undefined> | string | undefined;
}

/** What is followed is ready while it is fresh. */
export const followerCheck = (name: string, follower: Follower<unknown>): HealthCheck => ({
  name,
  check() {
    if (follower.isFresh()) return undefined;
    const age = follower.age();
    return age === undefined ? 'never loaded' : `last loaded ${Math.round(age / 1000)} s ago`;
  },
});

/** How a part stands, and since when it has stood so. */
export interface CheckState {
  readonly ready: boolean;
  readonly since: string;
  readonly reason?: string;
}

export interface HealthReport {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, CheckState>>;
}

export interface HealthChecks {
  /** Looks at every part now. Questions at the same time share one look. */
  check(): Promise<HealthReport>;
  /** How the parts stood when they were last looked at. */
  last(): HealthReport;
  /** Looks every so often until stopped, so that "since when" is right though nobody asked. */
  start(): void;
  stop(): void;
}

export interface HealthChecksOptions {
  readonly parts: readonly HealthCheck[];
  readonly clock: Clock;
  readonly log: Log;
}

const everyMs = 1_000;

/** Follows which parts are ready; the log tells when one ceases to be and when it is again. */
export const createHealthChecks = ({ parts, clock, log }: HealthChecksOptions): HealthChecks => {
  const states = new Map<string, CheckState>();
  let looking: Promise<HealthReport> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const note = (name: string, reason: string | undefined): void => {
    const before = states.get(name);
    const ready = reason === undefined;
    const isSame = before?.ready === ready;
    const since = isSame ? before.since : new Date(clock.now()).toISOString();
    states.set(name, { ready, since, ...(!ready && { reason }) });
    if (isSame) return;
    if (!ready) log.warn({ part: name, reason }, 'not ready');
    else if (before !== undefined) log.info({ part: name, notReadySince: before.since }, 'ready again');
  };

  const report = (): HealthReport => ({
    ready: parts.every(({ name }) => states.get(name)?.ready === true),
    parts: Object.fromEntries(states),
  });

  const look = async (): Promise<HealthReport> => {
    const reasons = await Promise.all(parts.map(({ check }) => check()));
    for (const [place, { name }] of parts.entries()) note(name, reasons[place]);
    return report();
  };

  const check = (): Promise<HealthReport> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  return {
    check,
    last: report,
    start() {
      void check();
      timer = setInterval(() => void check(), everyMs).unref();
    },
    stop: () => clearInterval(timer),
  };
};
