import { expect } from 'chai';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { longestWaitMs } from '../../test/support/wait.ts';
import { executablePath } from './browser.ts';

/** How many results a reader looks at. */
const looked = 3;

/**
 * What people look for in the current form's part of the page, by the parts that answer it, without
 * `current-`.
 */
const questions: Readonly<Record<string, string>> = {
  'page-through-the-shortlist listArtists-limit':
    'paging, pagination, paginate, cursor, cursr, sort, order, next page, last page, offset, ' +
    'how do I page through the artists, pagintaion, page size',
  'handle-429-and-503':
    'throttle, rate limit, quota, retry, 429, 503, timeout, too many requests, backoff, outage, throtle, ' +
    'requests per minute',
  'handle-429-and-503 poll-for-new-artists': 'UTC, time zone',
  authenticate:
    'cors, scope, authentication, api key, bearer, token, 401, 403, leaked key, secret, python, curl, ' +
    'javascript, sdk',
  'poll-for-new-artists': 'conditional, webhook, cache, polling interval, not modified, 304',
  'poll-for-new-artists header-ETag': 'etag',
  'connect-an-assistant': 'assistant, mcp, claude, cursor ai, llm tools',
  'generate-a-client': 'php, code generator, golang',
  'keep-a-copy':
    'csv, spreadsheet, plot, keep a copy, incremental, timestamp, sync, removed, changed since, deleted',
  'introduction header-Content-Encoding': 'gzip, compression, compresion',
  introduction: 'null, unknown values',
  'try-every-answer': 'sandbox, test key, mock',
  base: 'base url, host',
  more: 'changelog, release notes, rss',
  contract: 'openapi, swagger, postman',
  'move-between-the-forms more': 'migration, version',
  'read-the-error-messages': '400, error message, unknown parameter',
  'read-the-error-messages read-the-headers header-X-Request-Id': 'request id',
  'read-the-headers header-X-RateLimit-Remaining': 'remaining requests',
  'error-invalid_cursor': 'invalid cursor',
  'error-server_error error-service_unavailable': '500',
  'error-not_found read-the-error-messages': '404',
  'listArtists-tier Artist.tier': 'tiers, watch',
  'listArtists-signed listSignings Signing Artist.signing.status': 'signed, record label, signings',
  'listArtists-include getArtist HistoryPoint Artist.history': 'history, time series',
  'listSpikes Spike': 'spikes, growth percent',
  'Artist.metrics.monthly_listeners': 'monthly listeners, montly listners',
  getHealth: 'health, is the service available',
};

const resultsOf = async (page: Page, text: string): Promise<readonly string[]> => {
  await page.locator('.form:visible .search input').fill(text);
  const links = page.locator('.form:visible .found a');
  return links.evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''));
};

describe('the search of the page', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let page: Page;
  before(async () => {
    gateway = await createTestGateway();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    await page.goto(`http://127.0.0.1:${gateway.port}/docs`);
  });
  after(async () => {
    await browser.close();
    await gateway.close();
  });

  it(`leads 95 % of what people look for to the part that answers it, among the first ${looked} results`, async () => {
    const missed: string[] = [];
    let asked = 0;
    let first = 0;
    for (const [answers, texts] of Object.entries(questions)) {
      const expected = answers.split(' ').map((id) => `#current-${id}`);
      for (const text of texts.split(', ')) {
        const results = (await resultsOf(page, text)).slice(0, looked);
        asked++;
        if (expected.includes(results[0] ?? '')) first++;
        if (!results.some((result) => expected.includes(result)))
          missed.push(`${text}: ${results.join(' ')}`);
      }
    }
    process.stdout.write(
      `    ${asked} searches, ${first} lead to it at once, missed: ${missed.join('; ') || 'none'}\n`,
    );
    expect(asked).to.be.at.least(75);
    expect(missed.length / asked, missed.join('\n')).to.be.at.most(0.05);
  });

  it('says of each result what it is, and shows the line in which the word was found', async () => {
    await resultsOf(page, 'pagination');
    const first = page.locator('.form:visible .found li').first();
    expect(await first.textContent()).to.match(/^Page through the shortlist chapter .{40}/);
    await resultsOf(page, 'include');
    expect(await first.textContent()).to.match(
      /^include parameter of \S+ query string; history history adds the metric history/,
    );
  });

  it('offers ways on when nothing is found', async () => {
    const results = await resultsOf(page, 'zzqqxy');
    expect(await page.locator('.form:visible .count').textContent()).to.match(/^Nothing found\. /);
    expect(results).to.include.members(['#current-errors', '#current-objects', '#current-more']);
  });

  it('asks no other address, and no second time', async () => {
    const asked: string[] = [];
    const other = await browser.newPage();
    other.setDefaultTimeout(longestWaitMs);
    other.on('request', (request) => asked.push(request.url()));
    await other.goto(`http://127.0.0.1:${gateway.port}/docs#variant`);
    expect(await resultsOf(other, 'pagination')).to.include('#variant-read-the-whole-shortlist');
    expect(asked.filter((url) => !url.startsWith('data:'))).to.deep.equal([
      `http://127.0.0.1:${gateway.port}/docs`,
    ]);
    await other.close();
  });
});
