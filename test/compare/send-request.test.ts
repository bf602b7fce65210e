import { expect } from 'chai';
import { sideOf } from '../../adapters/compare/cases/cases.ts';
import { askSide } from '../../adapters/compare/cases/send-request.ts';

/** The faults of `mutation.test.ts` and `planted-bugs.test.ts` show the rest of what a case may say of its requests. */
describe('askSide', () => {
  it('treats a full list without a cursor as truncated', async () => {
    const isTruncated = async (path: string, count: number, form: 'current' | 'variant') => {
      const data = Array.from({ length: count }, (_, index) => ({ name: `Name ${index}` }));
      const text = JSON.stringify(form === 'current' ? { data, meta: { next_cursor: null } } : { data });
      const send = async () => ({ status: 200, headers: {}, text });
      return (await askSide(send, form, 'full', sideOf(path), { today: '2026-03-01', artist: undefined })).truncated;
    };
    expect(await isTruncated('/artists?limit=3', 3, 'variant')).to.equal(true);
    expect(await isTruncated('/artists?limit=3', 2, 'variant')).to.equal(false);
    expect(await isTruncated('/artists', 100, 'variant')).to.equal(true);
    expect(await isTruncated('/artists?limit=999', 200, 'variant')).to.equal(true);
    expect(await isTruncated('/added?limit=3', 3, 'current')).to.equal(true);
    expect(await isTruncated('/artists?limit=3', 3, 'current')).to.equal(false);
    expect(await isTruncated('/spikes', 3, 'variant')).to.equal(false);
  });
});
