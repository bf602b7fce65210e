import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { bad, buildRun, clean, worst } from '../../test/support/compare/build-run.ts';
import { createTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { longestWaitMs } from '../../test/support/wait.ts';
import { guideHtml } from '../../tools/cli/migration/guide-html.ts';
import { renderPage } from '../../tools/compare/reports/html.ts';
import { createReport } from '../../tools/compare/verdict.ts';
import { executablePath } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const openAll =
  'document.querySelectorAll("details").forEach((details) => { details.open = true; })';

/** Pages, and the states of `/docs` that a reader can bring about. */
const pages: readonly (readonly [
  path: string,
  state: string,
  act?: (page: Page) => Promise<unknown>,
])[] = [
  ['/docs', ''],
  ['/docs', ' while searching', (page) => page.locator('.search input').fill('limit')],
  ['/docs/guides', ''],
  ['/docs/errors', ''],
  ['/docs/tools', ''],
  ['/docs/endpoints/artists', ' with everything open', (page) => page.evaluate(openAll)],
  ['/docs/variant', ''],
  ['/docs/migration', ''],
  ['/docs/changes', ' with everything open', (page) => page.evaluate(openAll)],
  [
    '/docs',
    ' with a migration guide in its place',
    async (page) => page.setContent(guideHtml(recordedGuide, 'For Acme Radio')),
  ],
  ['/docs', ' with a report of differences in its place', (page) => showReport(page)],
];

/**
 * The rules about colours, the only ones that a page may keep in the light and break in the dark or
 * with forced colours: nothing else changes.
 */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * The rules of WCAG 2.2 A and AA, and the best practices of axe, or only some of them, that a page
 * breaks, with the first element that breaks each.
 */
const violationsOf = (page: Page, runOnly?: readonly string[]): Promise<readonly string[]> =>
  page.evaluate(`axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], runOnly })}).then(
    ({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.length + ' × ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`);

/** A guide with every table. */
const recordedGuide = readFileSync(
  new URL('../../fixtures/migration/guide.md', import.meta.url),
  'utf8',
);

/** A report of both forms with and without differences, all parts open. */
const showReport = async (page: Page): Promise<void> => {
  await page.setContent(renderPage(createReport(buildRun([clean, bad, worst]))));
  await page.evaluate(openAll);
};

describe('accessibility of the pages', () => {
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    gateway = await createTestGateway();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser.close();
    await gateway.close();
  });

  const openPage = async (path: string, options?: BrowserContextOptions): Promise<Page> => {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(longestWaitMs);
    await page.goto(`http://127.0.0.1:${gateway.port}${path}`);
    return page;
  };
  const viewport = { width: 1_280, height: 900 };
  const permissions = ['clipboard-read', 'clipboard-write'];

  for (const width of [390, 1_280]) {
    for (const [path, state, act] of pages) {
      it(`has no violation at ${path}${state}, ${width} px, in any colour scheme`, async () => {
        const page = await openPage(path, {
          colorScheme: 'light',
          viewport: { width, height: 900 },
          bypassCSP: true,
        });
        await act?.(page);
        await page.evaluate(axe);
        const inTheLight = await violationsOf(page);
        await page.emulateMedia({ colorScheme: 'dark' });
        const inTheDark = await violationsOf(page, colourRules);
        await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
        const withForcedColours = await violationsOf(page, colourRules);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        await page.close();
        expect({ inTheLight, inTheDark, withForcedColours, overflow }).to.deep.equal({
          inTheLight: [],
          inTheDark: [],
          withForcedColours: [],
          overflow: 0,
        });
      });
    }
  }

  it('searches from the keyboard, and follows a result to another page', async () => {
    const page = await openPage('/docs/variant');
    await page.keyboard.press('/');
    await page.keyboard.type('period_days');
    const results = page.locator('.found a');
    expect((await results.allTextContents()).join('\n')).to.match(/^period_days field of Spike /m);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/variant\/endpoints\/spikes#.*period_days$/);
    await page.close();
  });

  it('opens no result with the Enter that ends the composition of an input method', async () => {
    const page = await openPage('/docs');
    const input = page.locator('.search input');
    await input.fill('limit');
    const press = (isComposing: boolean) =>
      input.dispatchEvent('keydown', { key: 'Enter', bubbles: true, isComposing });
    await press(true);
    expect(new URL(page.url()).pathname).to.equal('/docs');
    await press(false);
    await page.waitForURL(/#/);
    await page.close();
  });

  it('focuses the search with / until the reader turns the shortcut off', async () => {
    const page = await openPage('/docs');
    const focused = () => page.evaluate('document.activeElement.type');
    await page.keyboard.press('/');
    expect(await focused()).to.equal('search');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const button = page.locator('.shortcut');
    expect(await button.getAttribute('aria-pressed')).to.equal('false');
    await page.reload();
    await page.keyboard.press('/');
    expect(await focused()).to.equal(undefined);
    await page.close();
  });

  it('opens the places that anchors of the earlier single page named', async () => {
    const page = await openPage('/docs#variant-listSpikes-429');
    await page.waitForURL(/\/docs\/variant\/endpoints\/spikes#429$/);
    for (const [old, place] of [
      ['current-error-not_found', /\/docs\/errors#not_found$/],
      ['current-keep-a-copy', /\/docs\/guides#keep-a-copy$/],
      ['current-read-the-headers', /\/docs\/errors#headers$/],
      ['variant-Song.name', /\/docs\/variant\/endpoints\/\w+#Song\.name$/],
      ['variant-objects', /\/docs\/variant$/],
    ] as const) {
      await page.goto(`http://127.0.0.1:${gateway.port}/docs#${old}`);
      await page.waitForURL(place);
    }
    await page.close();
  });

  it('fits the first example on one phone screen, and the page on six', async () => {
    const page = await openPage('/docs', { viewport: { width: 390, height: 844 } });
    const bottom = await page.evaluate<number>(
      "document.querySelector('.first > .code > pre').getBoundingClientRect().bottom",
    );
    const screens = await page.evaluate<number>('document.documentElement.scrollHeight / 844');
    const size = await page.evaluate(
      "getComputedStyle(document.querySelector('.search input')).fontSize",
    );
    await page.close();
    expect(bottom).to.be.below(844);
    expect(screens).to.be.at.most(6);
    expect(size, 'a phone zooms into smaller inputs').to.equal('16px');
  });

  it('switches all tabs to one language, keeps it, and copies programs that can run', async () => {
    const page = await openPage('/docs/guides', { permissions });
    await page.locator('[role=tab]', { hasText: 'Python' }).first().click();
    const shown = page.locator('[role=tabpanel]:not([hidden])');
    const labels = await shown.evaluateAll((panels) => panels.map((panel) => panel.ariaLabel));
    expect(new Set(labels)).to.deep.equal(new Set(['Python']));
    await page.reload();
    const chosen = page.locator('[role=tab][aria-selected=true]').first();
    expect(await chosen.textContent()).to.equal('Python');
    await page.locator('#poll-for-new-artists .tab:not([hidden]) .copy').click();
    await page.locator('[role=status]', { hasText: /^Copied$/ }).waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(
      /^# http.+\nfrom artist_api import .+\npoll\(/s,
    );
    // What makes lines run comes first.
    await page.locator('#keep-a-copy .code .copy').first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(
      /^ask\(\) \{.+^pages\(\) \{.+^pages '.+ && mv/ms,
    );
    const hidden = await page.locator('.tab[hidden]').first().getAttribute('hidden');
    expect(hidden, 'the search of the browser finds it').to.equal('until-found');
    await page.close();
  });

  it('prints every line of every block of code, dark on white', async () => {
    const page = await openPage('/docs/guides', { viewport: { width: 720, height: 1_000 } });
    await page.emulateMedia({ media: 'print' });
    const blocks = await page.evaluate<{ isCut: boolean; colours: readonly string[] }[]>(
      `[...document.querySelectorAll('.code pre')].filter((pre) => pre.checkVisibility({ contentVisibilityAuto: true })).map((pre) => ({
        isCut: pre.scrollWidth > pre.clientWidth + 1 || pre.scrollHeight > pre.clientHeight + 1,
        colours: [...new Set([...pre.querySelectorAll('span')].map((span) => getComputedStyle(span).color))],
      }))`,
    );
    await page.close();
    expect(blocks).to.have.lengthOf.above(5);
    expect(blocks.filter(({ isCut }) => isCut)).to.deep.equal([]);
    expect(new Set(blocks.flatMap(({ colours }) => colours))).to.deep.equal(
      new Set(['rgb(0, 0, 0)']),
    );
  });

  it('shows every demo key and copies it, also on a narrow screen', async () => {
    const page = await openPage('/docs/errors', {
      permissions,
      viewport: { width: 390, height: 900 },
    });
    const keys = page.locator('#try-every-response td .copied');
    for (const key of await keys.all()) {
      const box = await key.boundingBox();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 400) <= 390).to.equal(true);
    }
    await keys.last().locator('.copy').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(/^aik_curCutOff_\w+$/);
    await page.close();
  });

  it('opens the folded object that an address names', async () => {
    const page = await openPage('/docs/endpoints/spikes#Engine', { viewport });
    expect(await page.locator('#Engine').getAttribute('open')).to.equal('');
    await page.close();
  });

  it('marks in the contents where one is', async () => {
    const page = await openPage('/docs/guides', { viewport });
    await page.locator('#keep-a-copy').scrollIntoViewIfNeeded();
    await page.locator('#handle-429-and-503').scrollIntoViewIfNeeded();
    const here = page.locator('.wide [aria-current=location]');
    await here.first().waitFor();
    expect(await here.count()).to.equal(1);
    await page.close();
  });
});
