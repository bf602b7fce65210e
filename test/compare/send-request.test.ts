import { expect } from 'chai';
import type { SideOfCase } from '../../adapters/compare/cases/cases.ts';
import type { Focus } from '../../adapters/compare/cases/placeholders.ts';
import { limitOf } from '../../adapters/compare/cases/ranges.ts';
import { askForm, type Request, type SendRequest } from '../../adapters/compare/cases/send-request.ts';

const focus: Focus = {
  today: '2026-03-01',
  artist: { current: 'art_1', variant: 'doc:1', name: 'Ä & b', tier: undefined },
};

const sideOf = (ask: string, more: Partial<SideOfCase> = {}): SideOfCase => ({
  ask,
  method: 'GET',
  headers: {},
  pages: 1,
  keep: [],
  adjusted: [],
  reads: {},
  ...more,
});

const names = (count: number, from = 0) =>
  Array.from({ length: count }, (_, place) => ({ name: `Name ${from + place}` }));

/** Answers lists of these lengths, one after the other, and remembers what it was asked. */
const createAnswers = (pages: readonly (readonly object[])[], cursors = true) => {
  const asked: Request[] = [];
  const ask: SendRequest = async (request) => {
    const data = pages[Math.min(asked.length, pages.length - 1)];
    asked.push(request);
    const next = asked.length < pages.length ? `page${asked.length}` : null;
    const meta = cursors ? { meta: { next_cursor: next } } : {};
    return { status: 200, headers: {}, text: JSON.stringify({ data, ...meta }) };
  };
  return { ask, asked };
};

describe('asking a side of a case', () => {
  it('puts the artist’s members and days in place, each form its own', async () => {
    const { ask, asked } = createAnswers([[]]);
    const text = '/artists?id={id}&other={other-id}&name={name}&big={NAME}&tier={tier}&since={today-1}&day={today}';
    await askForm(ask, 'current', 'full', sideOf(text), focus, limitOf);
    await askForm(ask, 'variant', 'full', sideOf('/artists?id={id}'), focus, limitOf);
    expect(asked.map(({ path }) => path)).to.deep.equal([
      '/api/v1/artists?id=art_1&other=doc%3A1&name=%C3%84%20%26%20b&big=%C3%84%20%26%20B&tier=watch&since=2026-02-28&day=2026-03-01',
      '/api/v1/artists?id=doc%3A1',
    ]);
  });

  it('follows as many pages as it may, and knows whether there are more', async () => {
    const three = createAnswers([names(2), names(2, 2), names(1, 4)]);
    const all = await askForm(three.ask, 'current', 'full', sideOf('/artists?limit=2', { pages: 5 }), focus, limitOf);
    expect(three.asked.map(({ path }) => path.split('&')[1])).to.deep.equal([
      undefined,
      'cursor=page1',
      'cursor=page2',
    ]);
    expect([all.items.length, all.cut]).to.deep.equal([5, false]);
    const cut = createAnswers([names(2), names(2, 2), names(1, 4)]);
    const first = await askForm(cut.ask, 'current', 'full', sideOf('/artists?limit=2', { pages: 2 }), focus, limitOf);
    expect([first.items.length, first.cut]).to.deep.equal([4, true]);
  });

  it('takes a full list without pages for one that may have been cut', async () => {
    const ask = (path: string, count: number, form: 'current' | 'variant') =>
      askForm(createAnswers([names(count)], form === 'current').ask, form, 'full', sideOf(path), focus, limitOf);
    expect((await ask('/artists?limit=3', 3, 'variant')).cut).to.equal(true);
    expect((await ask('/artists?limit=3', 2, 'variant')).cut).to.equal(false);
    expect((await ask('/artists', 100, 'variant')).cut).to.equal(true);
    expect((await ask('/artists?limit=999', 200, 'variant')).cut).to.equal(true);
    expect((await ask('/added?limit=3', 3, 'current')).cut).to.equal(true);
    expect((await ask('/artists?limit=3', 3, 'current')).cut).to.equal(false);
    expect((await ask('/spikes', 3, 'variant')).cut).to.equal(false);
  });

  it('keeps the items that are meant', async () => {
    const items = [
      { name: 'ÄRA', tier: 'watch', date_added: '2026-03-01', signing: { status: 'signed' } },
      { name: 'ara', date_added: '2026-02-27', signing: {} },
      { name: 'x', signing: { status: 'unsigned' } },
    ];
    const kept = async (keep: SideOfCase['keep']) => {
      const side = sideOf('/artists', { keep });
      const answer = await askForm(createAnswers([items]).ask, 'current', 'full', side, focus, limitOf);
      return answer.items.map((item) => items.findIndex(({ name }) => JSON.stringify(item).includes(name))).join('');
    };
    expect(await kept([{ member: 'signing.status', is: 'signed' }])).to.equal('0');
    expect(await kept([{ member: 'signing.status', isNot: 'signed' }])).to.equal('12');
    expect(await kept([{ member: 'tier', absent: true }])).to.equal('12');
    expect(await kept([{ member: 'date_added', since: '{today-2}' }])).to.equal('01');
    expect(await kept([{ member: 'name', contains: 'ära' }])).to.equal('0');
    expect(
      await kept([
        { member: 'name', contains: 'RA' },
        { member: 'tier', absent: true },
      ]),
    ).to.equal('1');
  });

  it('takes a cursor from a question asked before, and asks as often as told', async () => {
    const { ask, asked } = createAnswers([names(1), names(1, 1)]);
    const side = sideOf('/artists?tier=watch&cursor={cursor}', { after: '/artists?limit=1', times: 2 });
    await askForm(ask, 'current', 'full', side, focus, limitOf);
    expect(asked.map(({ path }) => path)).to.deep.equal([
      '/api/v1/artists?limit=1',
      '/api/v1/artists?tier=watch&cursor=page1',
      '/api/v1/artists?tier=watch&cursor=page1',
    ]);
  });
});
