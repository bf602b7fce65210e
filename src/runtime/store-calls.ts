import type { Clock, HistorySource, Meter, QuotaStore, StoreName } from '../ports.ts';
import { StoreError } from './store-error.ts';

/** The longest time of a timer of Node, 25 days: one that is longer, or infinite, ends at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Settles as a read of a store does, or rejects with a `StoreError` of this message after `waitMs`
 * milliseconds. A result after that is passed to `late`; a late rejection is dropped. When this
 * process was too busy to read in time, what the store had answered counts: due timers run before
 * sockets are read, so sockets are read once more before a rejection.
 */
export const withStoreTimeout = <Result>(
  read: Promise<Result>,
  waitMs: number,
  message: string,
  late?: (result: Result) => void,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    let expired = false;
    const expire = () => {
      expired = true;
      reject(new StoreError(message));
    };
    let lastRead: NodeJS.Immediate | undefined;
    const timer = setTimeout(
      () => {
        lastRead = setImmediate(expire);
      },
      Math.min(Math.max(0, waitMs), maxTimerMs),
    );
    timer.unref(); // drivers hold the process while they wait
    const settle = () => {
      clearTimeout(timer);
      clearImmediate(lastRead);
    };
    read.then(
      (result) => {
        settle();
        if (expired) late?.(result);
        else resolve(result);
      },
      (thrown: unknown) => {
        settle();
        reject(thrown);
      },
    );
  });

/**
 * Creates a function that returns a store's promise and records its duration, whether it resolves
 * or rejects.
 */
const createTimer =
  (store: StoreName, meter: Meter, clock: Clock) =>
  <Result>(call: Promise<Result>): Promise<Result> => {
    const startedAt = clock.elapsed();
    const record = (answered: boolean): void =>
      meter.store(store, clock.elapsed() - startedAt, answered);
    call.then(
      () => record(true),
      () => record(false),
    );
    return call;
  };

/** Wraps a quota store so that the meter records every call. */
export const timeQuotas = (quotas: QuotaStore, meter: Meter, clock: Clock): QuotaStore => {
  const time = createTimer('quotas', meter, clock);
  return {
    ...quotas,
    consume: (allowances, deadline) => time(quotas.consume(allowances, deadline)),
    refund: (allowance, status, deadline) => time(quotas.refund(allowance, status, deadline)),
    read: (allowance, deadline) => time(quotas.read(allowance, deadline)),
  };
};

/** Wraps a history source so that the meter records every read. */
export const timeHistories = (
  histories: HistorySource,
  meter: Meter,
  clock: Clock,
): HistorySource => {
  const time = createTimer('history', meter, clock);
  return { read: (artist) => time(histories.read(artist)) };
};
