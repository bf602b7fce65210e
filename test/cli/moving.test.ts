import { expect } from 'chai';
import { addDays, dayOf } from '../../src/domain/day.ts';
import type { ExampleCall } from '../../tools/migration/example-calls.ts';
import type { MigrationReadiness } from '../../tools/migration/readiness.ts';
import { readLetterCalls } from '../support/cli/letter-calls.ts';
import { liveMonth, type Month, startMonth } from '../support/cli/moving-month.ts';
import { runWarm } from '../support/cli/warm-command.ts';

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
  const answeredOtherwise = async (calls: readonly ExampleCall[]): Promise<string[]> => {
    const wrong: string[] = [];
    for (const { path, status } of calls) {
      const answer = await month.gateway.get(path, month.partner.text);
      if (answer.status !== status) wrong.push(`${path} ${answer.status}, not ${status}`);
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

  before(async () => {
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
    // Seven nights with 16 of its requests and one of the dashboard in a minute, and one bad minute
    // with 11.
    expect(quota).to.include({
      asked: 7 * 51 + 120 + 1,
      refused_then: 21,
      would_refuse: 7 * 7 + 1,
    });
    expect(line).to.equal(
      `would exceed quota: 50 of 478 requests; ${key?.changes} things to change`,
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
      .and.include('We saw 1624 requests since ');
    expect(letter)
      .to.include('50 of 478 would have been refused with 429')
      .and.include('you would need 17 a minute.');
    expect(await answeredOtherwise(readLetterCalls(letter).today)).to.deep.equal([]);
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
      /aik_|crosswalk|artist-gateway|MongoDB|Redis|acme\b/,
    );
    const { today, unchanged, instead } = readLetterCalls(letter);
    const names = [...today, ...unchanged, ...instead].flatMap(({ path }) => [
      ...new URL(path, 'http://x').searchParams.keys(),
    ]);
    expect([...new Set(names)]).to.have.members(['new', 'id', 'limit', 'fields', 'days']);
    expect(today.map(({ path, status }) => `${path} ${status}`)).to.include.members([
      '/api/v1/artists?new=7 200',
      '/api/v1/artists?id=doc0001 200',
      '/api/v1/artists?id=nobody 404',
      '/api/v1/artists?limit=200 200',
      '/api/v1/artists?fields=basic 200',
      '/api/v1/spikes?days=31 200',
      '/api/v1/signings 200',
    ]);
    expect(letter).not.to.match(/signed=|X-RateLimit-Day|editorial/);
  });

  it('gets the answers to the changed and the unchanged requests that its letter promises, once it has moved', async () => {
    await moveTo('current');
    const { unchanged, instead } = readLetterCalls(letter);
    expect(unchanged).to.have.length(6);
    for (const calls of [unchanged, instead]) {
      await month.pass(minuteMs);
      expect(await answeredOtherwise(calls)).to.deep.equal([]);
    }
    for (const [, url = ''] of letter.matchAll(/<(https:\S+)>/g)) {
      expect((await month.gateway.get(new URL(url).pathname)).status, url).to.equal(200);
    }
    const [, path = ''] = /"https:\/\/gateway\.example\.net(\/api\S+)"/.exec(letter) ?? [];
    await month.pass(minuteMs);
    expect((await month.gateway.get(path, month.partner.text)).status).to.equal(200);
  });

  it('gets the answers to its first requests again after moving back', async () => {
    await moveTo('variant');
    expect(await answeredOtherwise(readLetterCalls(letter).today)).to.deep.equal([]);
  });
});
