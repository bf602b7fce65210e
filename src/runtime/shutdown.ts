import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../ports.ts';

/** What ends with the process, in this order. */
export interface ShutdownSteps {
  /** Says that no more requests are wanted, while those that come are still answered. */
  drain(): void;
  /** Stops listening; resolves when the last connection is gone. */
  close(): Promise<void>;
  /** Cuts the connections that are left. */
  closeConnections(): void;
  /** Closes what requests were answered from. */
  releaseStores(): Promise<void>;
}

export interface ShutdownOptions {
  /** How long all of it may take, in milliseconds. */
  readonly graceMs: number;
  readonly log: Log;
  /** Waits until the log has been written, at most so many milliseconds. */
  readonly flush: (withinMs: number) => Promise<void>;
  readonly exit: (code: number) => void;
}

/** The longest that a load balancer needs to notice; a shorter grace is halved between noticing and closing. */
const longestLameDuckMs = 5_000;

/** What may stay open at the very end must not keep the process. */
const releaseMs = 1_000;

/** Ends everything in order. A person at a terminal (`SIGINT`) is no load balancer, so nobody waits to be noticed. */
const end = async (ending: ShutdownSteps, signal: NodeJS.Signals, { graceMs, log }: ShutdownOptions): Promise<void> => {
  const lameDuckMs = signal === 'SIGINT' ? 0 : Math.min(longestLameDuckMs, graceMs / 2);
  log.info({ signal, lameDuckMs, graceMs }, 'stopping');
  ending.drain();
  await wait(lameDuckMs);
  const cutting = setTimeout(() => {
    log.warn({}, 'connections cut: the grace is over');
    ending.closeConnections();
  }, graceMs - lameDuckMs);
  await ending.close();
  clearTimeout(cutting);
  await Promise.race([ending.releaseStores(), wait(releaseMs)]);
  log.info({}, 'stopped');
};

/** On `SIGTERM` and `SIGINT` everything ends without a failed request; a second signal ends the process at once. */
export const shutdownOnSignal = (ending: ShutdownSteps, options: ShutdownOptions): void => {
  const { log, flush, exit } = options;
  let isEnding = false;
  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    if (isEnding) {
      log.warn({ signal }, 'stopped at once');
      await flush(0);
      exit(1);
      return;
    }
    isEnding = true;
    await end(ending, signal, options);
    await flush(releaseMs);
    exit(0);
  };
  process.on('SIGTERM', (signal) => void onSignal(signal));
  process.on('SIGINT', (signal) => void onSignal(signal));
};

/** What nobody caught is logged, and ends the process: nobody knows what state it left behind. */
export const exitOnUncaughtException = ({ log, flush, exit }: Omit<ShutdownOptions, 'graceMs'>): void => {
  process.on('uncaughtException', (err, origin) => {
    log.error({ err, origin }, 'fault: the process ends');
    void flush(releaseMs).then(() => exit(1));
  });
};
