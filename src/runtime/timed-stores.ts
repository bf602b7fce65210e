import type { Clock, HistorySource, Meter, QuotaStore, StoreName } from '../ports.ts';

/** Times what a store is asked. */
const createTimer =
  (store: StoreName, meter: Meter, clock: Clock) =>
  async <Result>(asked: Promise<Result>): Promise<Result> => {
    const startedAt = clock.elapsed();
    try {
      const result = await asked;
      meter.store(store, clock.elapsed() - startedAt, true);
      return result;
    } catch (cause) {
      meter.store(store, clock.elapsed() - startedAt, false);
      throw cause;
    }
  };

/** The same store, measured. */
export const timeQuotas = (quotas: QuotaStore, meter: Meter, clock: Clock): QuotaStore => {
  const time = createTimer('quotas', meter, clock);
  return {
    consume: (allowance, deadline) => time(quotas.consume(allowance, deadline)),
    refund: (allowance, status, deadline) => time(quotas.refund(allowance, status, deadline)),
    read: (allowance, deadline) => time(quotas.read(allowance, deadline)),
  };
};

/** The same histories, measured. */
export const timeHistories = (histories: HistorySource, meter: Meter, clock: Clock): HistorySource => {
  const time = createTimer('history', meter, clock);
  return { read: (artist) => time(histories.read(artist)) };
};
