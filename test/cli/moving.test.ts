import { expect } from 'chai';
import { addDays, dayOf } from '../../src/domain/day.ts';
import type { MigrationReadiness } from '../../tools/migration/readiness.ts';
import { carryOut, type LetterAnswer, readLetterCalls } from '../support/cli/letter-calls.ts';
import { liveMonth, type Month, startMonth } from '../support/cli/moving-month.ts';
import { runWarm } from '../support/cli/warm-command.ts';
import { awayFromMidnight } from '../support/wait.ts';

const minuteMs = 60_000;

/**
 * A month of a partner's traffic, the report on it, the move, and the move back. The tests depend
 * on this order.
 */
describe('a partner who moves', () => {
  let month: Month;
  let yesterday: string;
  let letter = '';

  /** The requests that the gateway answers with another status than the letter says. */
  const answeredOtherwise = async (calls: readonly LetterAnswer[]): Promise<string[]> => {
    const wrong: string[] = [];
    for (const { path, status, items } of calls) {
      const answer = await month.gateway.get(path, month.partner.text);
      const found: unknown = answer.body.data?.length;
      const isTold = items === undefined || found === items;
      if (answer.status !== status || !isTold)
        wrong.push(`${path} ${answer.status} with ${found}, not ${status} with ${items}`);
    }
    return wrong;
  };

  const moveTo = async (form: string): Promise<void> => {
    await month.operator.done(
      'keys pin',
      month.partner.id,
      '--form',
      form,
      '--reason',
      'ticket 77',
    );
    await month.pass(minuteMs);
  };

  before(async function () {
    this.timeout(600_000); // 1,700 requests, each with a reload of its sources
    await awayFromMidnight(180_000); // the month ends with the midnight before the commands
    month = await startMonth();
    yesterday = addDays(dayOf(Date.now()), -1);
    await liveMonth(month);
  });
  after(() => month.stop());

  it('gets a readiness report of the parameters it sends and the requests a quota would refuse', async () => {
    const words = `readiness ${month.partner.id} --days 31`;
    const { keys, quota, line } = await month.operator.json<MigrationReadiness>(words);
    const [key] = keys;
    expect(key?.requests).to.equal(1624);
    expect(
      key?.parameters.map(({ parameter, requests }) => `${parameter} ${requests}`),
    ).to.have.members([
      '/artists?new= 720',
      '/artists?id= 720',
      '/artists?limit= above 100 30',
      '/artists?fields= 30',
      '/artists without limit= 99',
    ]);
    expect(new Set(key?.parameters.map(({ last_day }) => last_day))).to.include(yesterday);
    expect(
      key?.behaviours.map(({ seen_by, requests }) => `${seen_by} ${requests}`),
    ).to.have.members([
      'days adjusted 30',
      'unknown 4',
      'tier none 99',
      '/artists 404 30',
      'limit>100 30',
    ]);
    expect(key?.members.map(({ member }) => member)).to.include.members([
      'success',
      'photo',
      'period_days',
      'tiktok',
    ]);
    // Seven nights with 16 of its requests, of which the one for 200 artists becomes two, and one of
    // the dashboard in a minute, and one bad minute with 11.
    expect(quota).to.include({
      asked: 7 * 52 + 120 + 1,
      refused_then: 21,
      would_refuse: 7 * 8 + 1,
    });
    expect(line).to.equal(
      `would exceed quota: 57 of 485 requests; ${key?.changes} things to change`,
    );
  });

  it('gets a letter about its own requests, which are answered as it says', async () => {
    const settings = { ...month.operator.settings, PUBLIC_URL: 'https://gateway.example.net' };
    const printed = await runWarm(settings, [
      'readiness',
      month.partner.id,
      '--days',
      '31',
      '--letter',
    ]);
    expect(printed.code, printed.stderr).to.equal(0);
    letter = printed.stdout;
    expect(letter).to.match(
      /^# Moving to the current form\n\nFor Acme Radio\. We ask you to move your key `\w+` /,
    );
    expect(letter)
      .to.include('for about 52 requests a day')
      .and.include('We saw 1624 requests in the variant form since ');
    expect(letter)
      .to.include('57 of 485 would have been refused with 429')
      .and.include('you would need 18 a minute.')
      .and.include("--partner='Acme Radio' --wait\n");
    const today = readLetterCalls(letter).map((row) => row.today);
    expect(await answeredOtherwise(today)).to.deep.equal([]);
    const html = await runWarm(settings, ['readiness', month.partner.id, '--days', '31', '--html']);
    expect(html.stdout)
      .to.match(/^<!doctype html>/)
      .and.include('<h1>Moving to the current form</h1>');
  });

  it('gets a letter that names no other key or organization, and only what its requests use', () => {
    const { dashboard, partner } = month;
    expect(letter)
      .not.to.include(dashboard.id)
      .and.not.to.include('Acme Board')
      .and.not.to.include('organization:');
    expect(letter.replaceAll(partner.id, '')).not.to.match(
      /aik_|mapping|artist-gateway|MongoDB|Redis|acme\b/,
    );
    expect(
      readLetterCalls(letter).map(({ today: { path, status } }) => `${path.slice(7)} ${status}`),
    ).to.have.members([
      '/artists?new=1 200',
      '/artists?id=doc0134 200',
      '/artists?tier=text 200',
      '/artists?fields=basic&limit=200 200',
      '/artists?id=nobody 404',
      '/spikes?days=45 200',
      '/signings?other=1 200',
    ]);
    expect(letter).not.to.match(/signed=|X-RateLimit-Day/);
  });

  it('gets the answers to the changed and the unchanged requests that its letter promises, once it has moved', async () => {
    await moveTo('current');
    const rows = readLetterCalls(letter);
    const unchanged = rows.flatMap((row) => row.unchanged ?? []);
    expect(unchanged).to.have.length(7);
    await month.pass(minuteMs);
    expect(await answeredOtherwise(unchanged)).to.deep.equal([]);
    for (const row of rows) {
      await month.pass(minuteMs);
      const get = async (path: string) => {
        const { status, body } = await month.gateway.get(path, month.partner.text);
        return { status, body };
      };
      const { items, requests } = await carryOut(row, get);
      expect({ items: items?.length, requests }, row.today.path).to.deep.equal({
        items: row.items,
        requests: row.requests,
      });
    }
    for (const [, url = ''] of letter.matchAll(/<(https:\S+)>/g)) {
      expect((await month.gateway.get(new URL(url).pathname)).status, url).to.equal(200);
    }
  });

  it('gets the answers to its first requests again after moving back', async () => {
    await moveTo('variant');
    const today = readLetterCalls(letter).map((row) => row.today);
    expect(await answeredOtherwise(today)).to.deep.equal([]);
  });
});
