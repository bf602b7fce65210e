import type { Clock, HistorySource, Meter, QuotaStore, StoreName } from '../ports.ts';

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
