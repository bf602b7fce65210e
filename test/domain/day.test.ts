import { expect } from 'chai';
import fc from 'fast-check';
import { addDays, dayOf, daysBetween } from '../../src/domain/day.ts';

const anyDay = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
  .map((date) => dayOf(date.getTime()));

describe('days', () => {
  for (const [instant, day] of [
    ['2026-08-22T00:00:00.000Z', '2026-08-22'],
    ['2026-08-21T23:59:59.999Z', '2026-08-21'],
    ['2026-08-22T01:30:00.000+02:00', '2026-08-21'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31'],
  ] as const) {
    it(`dayOf puts ${instant} on ${day} (UTC)`, () => {
      expect(dayOf(Date.parse(instant))).to.equal(day);
    });
  }

  for (const [day, days, result] of [
    ['2028-03-01', -1, '2028-02-29'],
    ['2026-08-22', -90, '2026-05-24'],
    ['2026-08-22', -999_999, '0000-01-01'],
    ['2026-08-22', -Number.MAX_SAFE_INTEGER, '0000-01-01'],
  ] as const) {
    it(`addDays moves ${day} by ${days} days to ${result}`, () => {
      expect(addDays(day, days)).to.equal(result);
    });
  }

  it('daysBetween is the inverse of addDays', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -300, max: 300 }), (day, days) => {
        expect(daysBetween(day, addDays(day, days))).to.equal(days);
      }),
    );
  });
});
