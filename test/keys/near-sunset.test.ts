import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createLastCalls, isNearSunset } from '../../src/keys/near-sunset.ts';
import { buildKey } from '../support/builders.ts';

const now = Date.parse('2026-08-22T12:00:00Z');
const yesterday = now - 86_400_000;

describe('a key near its sunset', () => {
  it('is a key that still calls 30 days before its sunset or later', () => {
    const [weekAgo, lastWeek] = ['2026-08-16T00:00:00Z', '2026-08-15T23:59:59Z'].map(Date.parse);
    const sunset = '2026-08-30';
    for (const [given, expected, lastAt = yesterday, form = 'variant'] of [
      [{ sunset: '2026-09-21' }, true],
      [{ sunset: '2026-09-22' }, false],
      [{ sunset: '2026-01-01' }, true],
      [{}, false],
      [{ sunset }, true, weekAgo],
      [{ sunset }, false, lastWeek],
      [{ sunset, revokedAt: now }, false],
      [{ sunset, expiresAt: now }, false],
      [{ sunset }, false, yesterday, 'current'],
    ] as const) {
      const { record } = buildKey({ form, ...given });
      expect(isNearSunset(record, lastAt, forms, now), JSON.stringify(given)).to.equal(expected);
    }
    const { record } = buildKey({ form: 'variant', sunset });
    expect(isNearSunset(record, undefined, forms, now)).to.equal(false);
  });

  it('has its latest call, even if the clock was set back', () => {
    const { record } = buildKey({ form: 'variant' });
    const calls = createLastCalls();
    calls.note('another', now);
    expect(calls.of(record)).to.equal(undefined);
    calls.note(record.id, now);
    calls.note(record.id, yesterday);
    expect(calls.of(record)).to.equal(yesterday);
  });
});
