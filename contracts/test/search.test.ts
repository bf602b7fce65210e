import { expect } from 'chai';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { longestWaitMs } from '../../test/support/wait.ts';
import { executablePath } from './browser.ts';

/** How many results a reader looks at. */
const looked = 3;

/** What people look for, by the places that answer it, below `/docs`. */
const questions: Readonly<Record<string, string>> = {
  '/guides#page-through-the-shortlist /endpoints/artists#limit':
    'paging, pagination, paginate, cursor, cursr, sort, order, next page, last page, offset, ' +
    'how do I page through the artists, pagintaion, page size',
  '/guides#handle-429-and-503':
    'throttle, rate limit, quota, retry, 429, 503, timeout, too many requests, backoff, outage, throtle, ' +
    'requests per minute',
  '/guides#handle-429-and-503 /guides#poll-for-new-artists': 'UTC, time zone, timezone',
  '/guides#authenticate':
    'scope, authentication, api key, bearer, token, 401, 403, leaked key, secret',
  '/guides#use-it-in-a-web-application': 'cors, browser, react, certificate, frontend',
  '/guides#find-an-artist-by-name': 'accents, apostrophe, search by name',
  '/tools#download-a-client': 'sdk, python, javascript, library',
  '/guides#poll-for-new-artists':
    'conditional, webhook, cache, polling interval, not modified, 304, late',
  '/guides#poll-for-new-artists /errors#header-ETag': 'etag',
  '/tools#connect-an-assistant': 'assistant, mcp, claude, cursor ai, llm tools',
  '/tools#generate-a-client': 'php, code generator, golang',
  '/guides#keep-a-copy':
    'csv, spreadsheet, plot, keep a copy, incremental, timestamp, sync, removed, changed since, deleted',
  '#read-the-data /errors#header-Content-Encoding':
    'gzip, compression, compresion, null, unknown values',
  '/errors#try-every-response': 'sandbox, test key, mock',
  '#next-steps': 'base url, host, openapi, swagger, postman',
  '/changes': 'changelog, release notes, rss',
  '#two-forms /changes': 'migration, version',
  '/guides#read-the-error-messages': '400, error message, unknown parameter',
  '/guides#read-the-error-messages /errors#header-X-Request-Id': 'request id',
  '/errors#header-X-RateLimit-Remaining': 'remaining requests',
  '/errors#invalid_cursor': 'invalid cursor',
  '/errors#not_found /guides#read-the-error-messages': '404',
  '/endpoints/artists#tier /endpoints/artists#Artist.tier': 'tiers, watch',
  '/endpoints/spikes /endpoints/spikes#Spike': 'spikes, growth percent',
  '/endpoints/artists#Artist.metrics.monthly_listeners': 'monthly listeners, montly listners',
  '/endpoints/health': 'health, is the service available',
};

const resultsOf = async (page: Page, text: string): Promise<readonly string[]> => {
  await page.locator('.search input').fill(text);
  const links = page.locator('.found a');
  return links.evaluateAll((found) =>
    found.map((link) => link.getAttribute('href')?.replace(/^.*?\/docs/, '') ?? ''),
  );
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

  it(`finds the right part for 95 % of searches in the first ${looked} results`, async () => {
    const missed: string[] = [];
    let asked = 0;
    let first = 0;
    for (const [answers, texts] of Object.entries(questions)) {
      const expected = answers.split(' ');
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

  it('shows the type of each result, and the line with the match', async () => {
    await resultsOf(page, 'pagination');
    const first = page.locator('.found li').first();
    expect(await first.textContent()).to.match(/^Page through the shortlist chapter .{40}/);
  });

  it('offers ways on if nothing is found', async () => {
    const results = await resultsOf(page, 'zzqqxy');
    expect(await page.locator('.count').textContent()).to.match(/^Nothing found\. /);
    expect(results).to.include.members(['/errors#error-codes', '/changes']);
  });

  it('finds the variant form first on its pages, and loads nothing from another host', async () => {
    const asked: string[] = [];
    const other = await browser.newPage();
    other.setDefaultTimeout(longestWaitMs);
    other.on('request', (request) => asked.push(request.url()));
    await other.goto(`http://127.0.0.1:${gateway.port}/docs/variant`);
    expect((await resultsOf(other, 'pagination'))[0]).to.equal('/variant#read-the-whole-shortlist');
    const paths = asked
      .filter((url) => !url.startsWith('data:'))
      .map((url) => new URL(url).pathname);
    expect(paths.sort()).to.deep.equal([
      '/docs/page.js',
      '/docs/search.js',
      '/docs/style.css',
      '/docs/variant',
    ]);
    await other.close();
  });
});
