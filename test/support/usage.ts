import type { DayTotal, HourTotal } from '../../src/ports.ts';
import type { UsageCounter, UsageEvent } from '../../src/usage/counter.ts';

/** A request of a key of the variant form that was answered just now. */
export const buildUsed = (given: Partial<UsageEvent> = {}): UsageEvent => ({
  keyId: 'key1',
  organizationId: 'acme',
  form: 'variant',
  route: '/api/v1/artists',
  status: 200,
  ms: 0,
  uses: [],
  quota: undefined,
  ...given,
});

/** Everything that a counter has not been told was written. */
export const unwrittenIn = (counter: Pick<UsageCounter, 'unwritten'>): { days: DayTotal[]; hours: HourTotal[] } => {
  const totals = [...counter.unwritten()].map((batch) => batch.totals);
  return { days: totals.flatMap(({ days }) => days), hours: totals.flatMap(({ hours }) => hours) };
};
