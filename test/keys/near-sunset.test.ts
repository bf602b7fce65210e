import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createLastCalls, isNearSunset } from '../../src/keys/near-sunset.ts';
import { buildKey } from '../support/builders.ts';

const now = Date.parse('2026-08-22T12:00:00Z');
const yesterday = now - 86_400_000;

describe('a key near its sunset', () => {
  for (const [what, form, given, lastAt, expected] of [
    ['30 days before its sunset', 'variant', { sunset: '2026-09-21' }, yesterday, true],
    ['31 days before its sunset', 'variant', { sunset: '2026-09-22' }, yesterday, false],
    ['after its sunset', 'variant', { sunset: '2026-01-01' }, yesterday, true],
    ['without a sunset', 'variant', {}, yesterday, false],
    ['that has not called', 'variant', { sunset: '2026-08-30' }, undefined, false],
    [
      'that called 6 days ago',
      'variant',
      { sunset: '2026-08-30' },
      Date.parse('2026-08-16T00:00:00Z'),
      true,
    ],
    [
      'that called 7 days ago',
      'variant',
      { sunset: '2026-08-30' },
      Date.parse('2026-08-15T23:59:59Z'),
      false,
    ],
    ['that is revoked', 'variant', { sunset: '2026-08-30', revokedAt: now }, yesterday, false],
    ['that has expired', 'variant', { sunset: '2026-08-30', expiresAt: now }, yesterday, false],
    ['of a form that ends for nobody', 'current', { sunset: '2026-08-30' }, yesterday, false],
  ] as const)
    it(`is ${expected ? '' : 'not '}one ${what}`, () => {
      const { record } = buildKey({ form, ...given });
      expect(isNearSunset(record, lastAt, forms, now)).to.equal(expected);
    });

  it('is known by its last call, also when the clock was set back', () => {
    const { record } = buildKey({ form: 'variant' });
    const calls = createLastCalls();
    calls.note('another', now);
    expect(calls.of(record)).to.equal(undefined);
    calls.note(record.id, now);
    calls.note(record.id, yesterday);
    expect(calls.of(record)).to.equal(yesterday);
  });
});
