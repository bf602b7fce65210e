import { expect } from 'chai';
import { earliestDay } from '../../src/catalogue/questions.ts';

const today = '2026-08-22';

describe('earliest day', () => {
  for (const [name, filters, day] of [
    ['is undefined without a filter by day', { name: 'a' }, undefined],
    ['is the day since which artists were added', { addedSince: '2026-08-01' }, '2026-08-01'],
    ['is today for the last 0 days', { addedWithinDays: 0 }, '2026-08-22'],
    ['is a week ago for the last 7 days', { addedWithinDays: 7 }, '2026-08-15'],
    [
      'is the later of two days when that is addedSince',
      { addedWithinDays: 90, addedSince: '2026-08-01' },
      '2026-08-01',
    ],
    [
      'is the later of two days when that is addedWithinDays',
      { addedWithinDays: 7, addedSince: '2026-08-01' },
      '2026-08-15',
    ],
    ['is at least 0000-01-01', { addedWithinDays: 999_999_999_999_999 }, '0000-01-01'],
  ] as const) {
    it(name, () => {
      expect(earliestDay(filters, today)).to.equal(day);
    });
  }
});
