import type { QuotaStatus, QuotaStore } from '../../../src/ports.ts';
import { faultsOf } from './faulty.ts';

const hour = 3_600_000;

/** A store whose statuses are changed; `index` is that of the allowance. */
const telling =
  (change: (status: QuotaStatus, window: string, index: number) => QuotaStatus) =>
  (store: QuotaStore): QuotaStore => ({
    ...store,
    consume: async (allowances, deadline) =>
      (await store.consume(allowances, deadline)).map((status, index) =>
        change(status, allowances[index]?.window ?? '', index),
      ),
  });

const later = (status: QuotaStatus, ms: number): QuotaStatus => ({
  ...status,
  endsAt: status.endsAt + ms,
  msLeft: status.msLeft + ms,
});

/** Quotas that are counted or told wrongly. */
export const quotaFaults = faultsOf('quota', {
  'the UTC day ends at 01:00': {
    quotas: telling((status, window) => (window === 'day' ? later(status, hour) : status)),
    row: 'header.X-RateLimit-Day-Reset',
  },
  'windows begin with the first request': {
    quotas: telling((status) => later(status, 7_000)),
    row: 'header.X-RateLimit-Reset',
  },
  'the time that is left is not that to the end': {
    quotas: telling((status) => ({ ...status, msLeft: status.msLeft - 10_000 })),
    row: 'header.RateLimit',
  },
  'what is left is told one behind, while there is some': {
    quotas: telling((status) => ({ ...status, used: status.used - Number(status.granted) })),
    row: 'header.X-RateLimit-Remaining',
  },
  'the seconds of Retry-After are rounded down': {
    quotas: telling((status) => ({ ...status, msLeft: Math.floor(status.msLeft / 1000) * 1000 })),
    row: 'header.Retry-After',
  },
  'the second window never refuses': {
    quotas: (store) => ({
      ...store,
      consume: async ([first, ...others], deadline) => [
        ...(first === undefined ? [] : await store.consume([first], deadline)),
        ...(await Promise.all(others.map((one) => store.read(one, deadline)))),
      ],
    }),
    row: 'problem.day-spent',
  },
  'one request too many is granted': {
    quotas: (store) => ({
      ...store,
      consume: (allowances, deadline) =>
        store.consume(
          allowances.map((one) => ({ ...one, limit: one.limit + 1 })),
          deadline,
        ),
    }),
  },
});
