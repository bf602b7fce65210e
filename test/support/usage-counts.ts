import type { MinuteCount, UsageCount } from '../../src/domain/usage.ts';

/** Three answered requests of a key of the variant form for artists, on the day most tests are set. */
export const buildCount = (given: Partial<UsageCount> = {}): UsageCount => ({
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
export const buildMinute = (given: Partial<MinuteCount> = {}): MinuteCount => ({
  keyId: 'keyvariant',
  organizationId: 'org_test',
  minute: Date.parse('2026-08-22T12:00:00Z'),
  requests: 1,
  refused: 0,
  ...given,
});
