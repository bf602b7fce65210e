import type { Clock, HistorySource, Meter, QuotaStore, StoreName } from './ports.ts';

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
export const measureQuotas = (quotas: QuotaStore, meter: Meter, clock: Clock): QuotaStore => {
  const time = createTimer('quotas', meter, clock);
  return {
    spend: (allowance, deadline) => time(quotas.spend(allowance, deadline)),
    giveBack: (allowance, standing, deadline) => time(quotas.giveBack(allowance, standing, deadline)),
    read: (allowance, deadline) => time(quotas.read(allowance, deadline)),
  };
};

/** The same histories, measured. */
export const measureHistories = (histories: HistorySource, meter: Meter, clock: Clock): HistorySource => {
  const time = createTimer('history', meter, clock);
  return { read: (artist) => time(histories.read(artist)) };
};
