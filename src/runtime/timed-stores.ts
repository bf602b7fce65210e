import type { Clock, HistorySource, Meter, QuotaStore, StoreName } from '../ports.ts';

/** Creates a function that records the duration of a store's promise, whether it resolves or rejects. */
const createTimer =
  (store: StoreName, meter: Meter, clock: Clock) =>
  async <Result>(call: Promise<Result>): Promise<Result> => {
    const startedAt = clock.elapsed();
    try {
      const result = await call;
      meter.store(store, clock.elapsed() - startedAt, true);
      return result;
    } catch (cause) {
      meter.store(store, clock.elapsed() - startedAt, false);
      throw cause;
    }
  };

/** Wraps a quota store so that the meter records every call. */
export const timeQuotas = (quotas: QuotaStore, meter: Meter, clock: Clock): QuotaStore => {
  const time = createTimer('quotas', meter, clock);
  return {
    consume: (allowances, deadline) => time(quotas.consume(allowances, deadline)),
    refund: (allowance, status, deadline) => time(quotas.refund(allowance, status, deadline)),
    read: (allowance, deadline) => time(quotas.read(allowance, deadline)),
  };
};

/** Wraps a history source so that the meter records every read. */
export const timeHistories = (histories: HistorySource, meter: Meter, clock: Clock): HistorySource => {
  const time = createTimer('history', meter, clock);
  return { read: (artist) => time(histories.read(artist)) };
};
