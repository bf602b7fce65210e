import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { casesFolder } from '../../src/runtime/config.ts';
import { assessPlanted, plantFleet } from '../../test/support/cli/fleet.ts';
import { buildRun } from '../../test/support/compare/build-run.ts';
import { runWithFault } from '../../test/support/compare/catch-fault.ts';
import { variantArtists } from '../../test/support/compare/faulty.ts';
import { createTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { longestWaitMs } from '../../test/support/wait.ts';
import { letterHtml, writeLetter } from '../../tools/cli/letter/letter.ts';
import { fleetPage } from '../../tools/cli/readiness/fleet-page.ts';
import { readCases } from '../../tools/compare/cases/cases.ts';
import { renderPage } from '../../tools/compare/reports/html.ts';
import { createReport } from '../../tools/compare/verdict.ts';
import { requestedMove as move } from '../../tools/migration/evidence.ts';
import { exampleCalls } from '../../tools/migration/example-calls.ts';
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
  ['/docs#variant', ''],
  ['/docs#current-listArtists-limit', ' with every example open', (page) => page.evaluate(openAll)],
  [
    '/docs',
    ' while searching',
    (page) => page.locator('.form:visible .search input').fill('limit'),
  ],
  ['/docs/migration', ''],
  ['/docs/changes', ''],
  [
    '/docs',
    ' with a letter to a partner in its place',
    (page) => page.setContent(writeLetterPage()),
  ],
  ['/docs', ' with the page of a fleet in its place', (page) => page.setContent(writeFleetPage())],
  ['/docs', ' with a report of differences in its place', (page) => showReport(page)],
];

/**
 * The rules about colours, the only ones that a page may keep in the light and break in the dark:
 * nothing else changes.
 */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * The rules of WCAG 2.2 A and AA, and the best practices of axe, or only some of them, that a page
 * breaks, with the first element that breaks each.
 */
const violationsOf = (page: Page, runOnly?: readonly string[]): Promise<readonly string[]> =>
  page.evaluate(`axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], runOnly })}).then(
    ({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.length + ' × ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`);

const now = Date.parse('2026-08-22T12:00:00Z');

/** The operator's page of a fleet, with links to letters. */
const writeFleetPage = (): string =>
  fleetPage(assessPlanted(plantFleet(10, now), now).report, { now, letters: 'letters' });

/** A letter with every table: its partner asks in bursts, and has a sunset. */
const writeLetterPage = (): string => {
  const [partner] = assessPlanted(plantFleet(23, now), now).keys.filter(
    ({ key }) => key.id === 'fleet022',
  );
  if (partner === undefined) throw new Error('The fleet has no such key.');
  const { key, report, readiness, counts } = partner;
  const calls = exampleCalls({
    counts,
    move,
    sample: { documentId: 'doc0001', id: 'art_0001' },
    identifierOf: () => 'id',
  });
  const [baseUrl, supportContact] = ['https://api.example.org', 'api@partners.test'];
  const letter = writeLetter({
    key,
    report,
    quota: readiness.quota,
    days: readiness.days,
    calls,
    baseUrl,
    supportContact,
  });
  return letterHtml(letter, `For ${key.partner}`);
};

/** A report of both forms in which a member of every kind of row stands, and several are wrong. */
const showReport = async (page: Page): Promise<void> => {
  const forms = variantArtists({
    show: (wire) => ({ ...wire, name: 'Other', photo: undefined, songs: wire.songs?.toReversed() }),
  });
  const names = ['artists', 'artist-in-detail', 'spikes', 'signings', 'path-unknown'];
  const cases = (await readCases(casesFolder)).filter(({ name }) => names.includes(name));
  await page.setContent(
    renderPage(createReport(buildRun([], await runWithFault(cases, { forms })))),
  );
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
      it(`has no violation at ${path}${state}, ${width} px, in the light and in the dark`, async () => {
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
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        await page.close();
        expect({ inTheLight, inTheDark, overflow }).to.deep.equal({
          inTheLight: [],
          inTheDark: [],
          overflow: 0,
        });
      });
    }
  }

  it('searches from the keyboard, and follows a result', async () => {
    const page = await openPage('/docs#variant');
    await page.keyboard.press('/');
    await page.keyboard.type('period_days');
    const results = page.locator('.form:visible .found a');
    expect((await results.allTextContents()).join('\n')).to.match(
      /^period_days member of Spike .*window/m,
    );
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).to.match(/^#variant-.*period_days$/);
    await page.close();
  });

  it('switches every tab to one language, which it keeps, and copies a program with what makes it run', async () => {
    const page = await openPage('/docs', { permissions });
    await page.locator('.form:visible [role=tab]', { hasText: 'Python' }).first().click();
    const shown = page.locator('.form:visible [role=tabpanel]:visible');
    const labels = await shown.evaluateAll((panels) => panels.map((panel) => panel.ariaLabel));
    expect(new Set(labels)).to.deep.equal(new Set(['Python']));
    await page.reload();
    const chosen = page.locator('.form:visible [role=tab][aria-selected=true]').first();
    expect(await chosen.textContent()).to.equal('Python');
    await page.locator('#current-poll-for-new-artists .tab:visible .copy').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(
      /^import .+\bdef ask.+\bdef poll.+\npoll\(\)$/s,
    );
    await page.locator('#current-getHealth .example .copy').last().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.include('"status": "ok"');
    await page.close();
  });

  it('keeps the section when the form is changed', async () => {
    const page = await openPage('/docs#current-listSpikes', { viewport });
    const other = page.locator('.form:visible .wide .switch a[data-form=variant]');
    await page.locator('#current .wide [aria-current=location]', { hasText: '/spikes' }).waitFor();
    await other.click();
    expect(new URL(page.url()).hash).to.equal('#variant-listSpikes');
    await page.close();
  });

  it('shows every demo key and copies it, also on a narrow screen', async () => {
    const page = await openPage('/docs#current-try-every-answer', {
      permissions,
      viewport: { width: 390, height: 900 },
    });
    const keys = page.locator('#current-try-every-answer td .copied');
    for (const key of await keys.all()) {
      const box = await key.boundingBox();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 400) <= 390).to.equal(true);
    }
    await keys.last().locator('.copy').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(/^aik_curCutOff_\w+$/);
    await page.close();
  });

  it('marks in the contents where one is', async () => {
    const page = await openPage('/docs', { viewport });
    await page.locator('#current-listSpikes').scrollIntoViewIfNeeded();
    await page.locator('#current-listSpikes-429').scrollIntoViewIfNeeded();
    const here = page.locator('.form:visible .wide [aria-current=location]');
    await here.filter({ hasText: '/spikes' }).waitFor();
    expect(await here.count()).to.equal(1);
    await page.close();
  });
});
