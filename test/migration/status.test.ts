import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { KeyRecord } from '../../src/domain/caller.ts';
import { addDays } from '../../src/domain/day.ts';
import { hourMs } from '../../src/domain/time.ts';
import { allowances } from '../../tools/cli/policy.ts';
import { assessStatus } from '../../tools/migration/status.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { buildMinuteCount, buildUsageCount } from '../support/usage.ts';

const organization = buildOrganization({ id: 'acme', perMinute: undefined, perDay: undefined });

describe('the assessment of all keys', () => {
  const now = Date.parse('2026-08-22T12:00:00Z');
  const assess = (given: Partial<Parameters<typeof assessStatus>[0]>) =>
    assessStatus({
      ...{ now, days: 30, artists: 150, forms, allowances },
      ...{ organizations: [organization], keys: [], counts: [], minutes: [], ...given },
    });
  const key = (id: string, given: Partial<KeyRecord> = {}) =>
    buildKey({ id, organizationId: 'acme', form: 'variant', ...given }).record;
  const count = (keyId: string, given: object) =>
    buildUsageCount({ keyId, organizationId: 'acme', day: '2026-08-20', ...given });

  it('counts every page after the move, even of a revoked or moved key', () => {
    const calls = { k1: 8, k2: 1 };
    for (const previous of [{ revokedAt: now - hourMs }, { form: 'current' }] as const) {
      const { keys } = assess({
        keys: [key('k1', previous), key('k2')],
        counts: [
          count('k1', { requests: calls.k1, uses: { '?limit=200': calls.k1 } }),
          count('k2', { requests: calls.k2, uses: { '?limit=20': calls.k2 } }),
        ],
        minutes: Object.entries(calls).map(([keyId, requests]) => {
          const minute = Date.parse('2026-08-20T09:07:00Z');
          return buildMinuteCount({ keyId, organizationId: 'acme', minute, requests });
        }),
      });
      expect(keys).to.have.length(1);
      expect(keys[0]).to.include({ key: 'k2', requests: 1, would_refuse: 7 });
      expect(keys[0]?.line).to.match(/^would exceed quota: 7 of 17 requests/);
    }
  });

  it('divides the calls of a key by the days since its first', () => {
    for (const days of [1, 3, 30]) {
      const counts = Array.from({ length: days }, (_, age) =>
        count('k1', { day: addDays('2026-08-22', -age), requests: 20 + age }),
      );
      const average = counts.reduce((total, { requests }) => total + requests, 0) / days;
      const [row] = assess({ keys: [key('k1')], counts }).keys;
      expect(row?.calls_a_day, `${days} days`).to.equal(Math.round(average * 10) / 10);
    }
  });
});
