import { expect } from 'chai';
import { type CaseSide, sideOf } from '../../adapters/compare/cases/cases.ts';
import type { CaseFocus } from '../../adapters/compare/cases/placeholders.ts';
import { askSide, type ComparisonRequest, type SendRequest } from '../../adapters/compare/cases/send-request.ts';

const focus: CaseFocus = {
  today: '2026-03-01',
  artist: { current: 'art_1', variant: 'doc:1', name: 'Ä & b', tier: undefined },
};

const names = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ name: `Name ${from + index}` }));

/** Answers these lists, one after the other, and records the requests. */
const createAnswers = (pages: readonly (readonly object[])[], cursors = true) => {
  const asked: ComparisonRequest[] = [];
  const send: SendRequest = async (request) => {
    const data = pages[Math.min(asked.length, pages.length - 1)];
    asked.push(request);
    const next = asked.length < pages.length ? `page${asked.length}` : null;
    const meta = cursors ? { meta: { next_cursor: next } } : {};
    return { status: 200, headers: {}, text: JSON.stringify({ data, ...meta }) };
  };
  return { send, asked };
};

describe('askSide', () => {
  it('fills placeholders with the form’s identifier, the artist’s members and days', async () => {
    const { send, asked } = createAnswers([[]]);
    const text = '/artists?id={id}&other={other-id}&name={name}&big={NAME}&tier={tier}&since={today-1}&day={today}';
    await askSide(send, 'current', 'full', sideOf(text), focus);
    await askSide(send, 'variant', 'full', sideOf('/artists?id={id}'), focus);
    expect(asked.map(({ path }) => path)).to.deep.equal([
      '/api/v1/artists?id=art_1&other=doc%3A1&name=%C3%84%20%26%20b&big=%C3%84%20%26%20B&tier=watch&since=2026-02-28&day=2026-03-01',
      '/api/v1/artists?id=doc%3A1',
    ]);
  });

  it('follows as many pages as the case allows, and returns whether there are more', async () => {
    const three = createAnswers([names(2), names(2, 2), names(1, 4)]);
    const all = await askSide(three.send, 'current', 'full', sideOf('/artists?limit=2', { pages: 5 }), focus);
    expect(three.asked.map(({ path }) => path.split('&')[1])).to.deep.equal([
      undefined,
      'cursor=page1',
      'cursor=page2',
    ]);
    expect([all.items.length, all.truncated]).to.deep.equal([5, false]);
    const truncated = createAnswers([names(2), names(2, 2), names(1, 4)]);
    const first = await askSide(truncated.send, 'current', 'full', sideOf('/artists?limit=2', { pages: 2 }), focus);
    expect([first.items.length, first.truncated]).to.deep.equal([4, true]);
  });

  it('treats a full list without a cursor as truncated', async () => {
    const ask = (path: string, count: number, form: 'current' | 'variant') =>
      askSide(createAnswers([names(count)], form === 'current').send, form, 'full', sideOf(path), focus);
    expect((await ask('/artists?limit=3', 3, 'variant')).truncated).to.equal(true);
    expect((await ask('/artists?limit=3', 2, 'variant')).truncated).to.equal(false);
    expect((await ask('/artists', 100, 'variant')).truncated).to.equal(true);
    expect((await ask('/artists?limit=999', 200, 'variant')).truncated).to.equal(true);
    expect((await ask('/added?limit=3', 3, 'current')).truncated).to.equal(true);
    expect((await ask('/artists?limit=3', 3, 'current')).truncated).to.equal(false);
    expect((await ask('/spikes', 3, 'variant')).truncated).to.equal(false);
  });

  it('selects the items that fulfil all conditions', async () => {
    const items = [
      { name: 'ÄRA', tier: 'watch', date_added: '2026-03-01', signing: { status: 'signed' } },
      { name: 'ara', date_added: '2026-02-27', signing: {} },
      { name: 'x', signing: { status: 'unsigned' } },
    ];
    const select = async (keep: CaseSide['keep']) => {
      const side = sideOf('/artists', { keep });
      const answer = await askSide(createAnswers([items]).send, 'current', 'full', side, focus);
      return answer.items.map((item) => items.findIndex(({ name }) => JSON.stringify(item).includes(name))).join('');
    };
    expect(await select([{ member: 'signing.status', is: 'signed' }])).to.equal('0');
    expect(await select([{ member: 'signing.status', isNot: 'signed' }])).to.equal('12');
    expect(await select([{ member: 'tier', absent: true }])).to.equal('12');
    expect(await select([{ member: 'date_added', since: '{today-2}' }])).to.equal('01');
    expect(await select([{ member: 'name', contains: 'ära' }])).to.equal('0');
    expect(
      await select([
        { member: 'name', contains: 'RA' },
        { member: 'tier', absent: true },
      ]),
    ).to.equal('1');
  });

  it('takes the cursor from the request sent first, and repeats the request', async () => {
    const { send, asked } = createAnswers([names(1), names(1, 1)]);
    const side = sideOf('/artists?tier=watch&cursor={cursor}', { after: '/artists?limit=1', times: 2 });
    await askSide(send, 'current', 'full', side, focus);
    expect(asked.map(({ path }) => path)).to.deep.equal([
      '/api/v1/artists?limit=1',
      '/api/v1/artists?tier=watch&cursor=page1',
      '/api/v1/artists?tier=watch&cursor=page1',
    ]);
  });
});
