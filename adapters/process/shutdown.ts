import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../../src/ports.ts';

/** The steps of a graceful shutdown, in order. */
export interface ShutdownSteps {
  /**
   * Reports not ready and closes connections after their next response. Requests are still served.
   */
  drain(): void;
  /** Stops listening; resolves when the last connection is closed. */
  close(): Promise<void>;
  closeConnections(): void;
  /** Writes the counted usage. */
  finishWrites(): Promise<void>;
  releaseStores(): Promise<void>;
}

interface ShutdownOptions {
  /** Maximum total duration of all steps, in milliseconds. */
  readonly graceMs: number;
  readonly log: Log;
  /** Waits until the log is written, at most `withinMs` milliseconds. */
  readonly flush: (withinMs: number) => Promise<void>;
  readonly exit: (code: number) => void;
}

/**
 * How long load balancers get to notice `/ready`, in milliseconds; at most half of the grace
 * period.
 */
const maxLameDuckMs = 5_000;

/**
 * Maximum time for closing the stores, and again for writing the log, in milliseconds. The last
 * writes get as much if the grace period is over.
 */
const maxReleaseMs = 1_000;

/**
 * Runs the steps. `SIGINT` comes from a terminal, not from a load balancer, so it skips the wait.
 */
const shutDown = async (
  steps: ShutdownSteps,
  signal: NodeJS.Signals,
  { graceMs, log }: ShutdownOptions,
): Promise<void> => {
  const lameDuckMs = signal === 'SIGINT' ? 0 : Math.min(maxLameDuckMs, graceMs / 2);
  log.info({ signal, lameDuckMs, graceMs }, 'stopping');
  const graceOver = wait(graceMs, undefined, { ref: false });
  steps.drain();
  await wait(lameDuckMs);
  const expiry = setTimeout(() => {
    log.warn({}, 'shutdown grace expired, connections closed');
    steps.closeConnections();
  }, graceMs - lameDuckMs);
  await steps.close();
  clearTimeout(expiry);
  await Promise.race([steps.finishWrites(), Promise.all([graceOver, wait(maxReleaseMs)])]);
  await Promise.race([steps.releaseStores(), wait(maxReleaseMs)]);
  log.info({}, 'stopped');
};

/**
 * Shuts down gracefully on `SIGTERM`, `SIGHUP` and `SIGINT` and exits with 0. A second signal exits
 * with 1 immediately. During startup a signal ends the process: without a handler, process 1 of a
 * container would ignore it.
 */
export const shutdownOnSignal = (
  stepsOf: () => ShutdownSteps | undefined,
  options: ShutdownOptions,
): void => {
  const { log, flush, exit } = options;
  let isShuttingDown = false;
  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    if (isShuttingDown) {
      log.warn({ signal }, 'second signal, exiting immediately');
      await flush(0);
      exit(1);
      return;
    }
    isShuttingDown = true;
    const steps = stepsOf();
    if (steps === undefined) log.info({ signal }, 'stopped before listening');
    else await shutDown(steps, signal, options);
    await flush(maxReleaseMs);
    exit(0);
  };
  process.on('SIGTERM', (signal) => void onSignal(signal));
  process.on('SIGHUP', (signal) => void onSignal(signal)); // Node would end the process immediately
  process.on('SIGINT', (signal) => void onSignal(signal));
};

/** Logs an uncaught exception and exits with 1: the state it leaves behind is undefined. */
export const exitOnUncaughtException = ({
  log,
  flush,
  exit,
}: Omit<ShutdownOptions, 'graceMs'>): void => {
  process.on('uncaughtException', (err, origin) => {
    log.error({ err, origin }, 'uncaught exception, exiting');
    void flush(maxReleaseMs).then(() => exit(1));
  });
};
