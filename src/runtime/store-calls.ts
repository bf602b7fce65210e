import type { Clock, HistorySource, Meter, QuotaStore, StoreName } from '../ports.ts';
import { StoreError } from './store-error.ts';

/** Node's longest timer, 25 days. A longer or infinite delay fires immediately. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Settles like the store's read, or rejects with a `StoreError` after `waitMs` milliseconds. Passes
 * a later result to `late` and drops a later rejection. Reads the sockets once more before it
 * rejects: if this process was busy, the reply may already be there.
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
    timer.unref(); // drivers keep the process alive while they wait
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
 * Creates a function that returns a store's promise and records its duration, even if it rejects.
 */
const createTimer =
  (store: StoreName, meter: Meter, clock: Clock) =>
  <Result>(call: Promise<Result>): Promise<Result> => {
    const startedAt = clock.elapsed();
    const record = (succeeded: boolean): void =>
      meter.store(store, clock.elapsed() - startedAt, succeeded);
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
