import type { DayTotal, HourTotal, MinuteCount, UsageCount } from '../../src/domain/usage.ts';
import type { UsageCounter, UsageEvent } from '../../src/usage/counter.ts';

/** An answered request for artists by a key of the variant form. */
export const buildUsageEvent = (given: Partial<UsageEvent> = {}): UsageEvent => ({
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

/** Three answered requests for artists by a key of the variant form. */
export const buildUsageCount = (given: Partial<UsageCount> = {}): UsageCount => ({
  day: '2026-08-22',
  keyId: 'keyvariant',
  organizationId: 'org_test',
  form: 'variant',
  route: '/api/v1/artists',
  status: 200,
  requests: 3,
  uses: {},
  lastAt: Date.parse(`${given.day ?? '2026-08-22'}T11:00:00Z`),
  ...given,
});

/** One request in the first minute of noon. */
export const buildMinuteCount = (given: Partial<MinuteCount> = {}): MinuteCount => ({
  keyId: 'keyvariant',
  organizationId: 'org_test',
  minute: Date.parse('2026-08-22T12:00:00Z'),
  requests: 1,
  refused: 0,
  ...given,
});

/** All totals of a counter that no write has confirmed. */
export const unwrittenTotals = (
  counter: Pick<UsageCounter, 'unwritten'>,
): { days: DayTotal[]; hours: HourTotal[] } => {
  const totals = [...counter.unwritten()].map((batch) => batch.totals);
  return { days: totals.flatMap(({ days }) => days), hours: totals.flatMap(({ hours }) => hours) };
};

/** Three requests for artists by a key of the variant form, in a day. */
export const dayTotal = (given: Partial<DayTotal> = {}): DayTotal => ({
  id: 'one:1',
  ...buildUsageCount({
    keyId: 'key1',
    organizationId: 'acme',
    uses: { new: 2, 'fields=basic': 1, 'limit>100': 1 },
    ...given,
  }),
});

/** The hour from noon: requests and refused requests by minute. */
export const hourTotal = (
  minutes: Record<number, readonly [number, number]>,
  given: Partial<HourTotal> = {},
): HourTotal => {
  const counted = Object.entries(minutes).map(
    ([minute, [requests, refused]]) => [Number(minute), { requests, refused }] as const,
  );
  const requests = counted.reduce((sum, [, minute]) => sum + minute.requests, 0);
  return {
    id: 'one:2',
    keyId: 'key1',
    organizationId: 'acme',
    hour: Date.parse('2026-08-22T12:00:00Z'),
    requests,
    minutes: new Map(counted),
    ...given,
  };
};
