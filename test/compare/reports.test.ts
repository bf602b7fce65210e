import { readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { parse } from 'junit2json';
import { applyBaseline, createBaseline } from '../../tools/compare/baseline.ts';
import { renderPage } from '../../tools/compare/reports/html.ts';
import { formatJsonReport } from '../../tools/compare/reports/json.ts';
import { formatJunit } from '../../tools/compare/reports/junit.ts';
import { formatReportTexts } from '../../tools/compare/reports/terminal.ts';
import { differenceFrom, formatValue } from '../../tools/compare/reports/values.ts';
import type { CaseResult, RunResult } from '../../tools/compare/results.ts';
import { createReport, type RunReport } from '../../tools/compare/verdict.ts';
import {
  bad,
  buildRun,
  clean,
  hostile,
  outdated,
  worst,
  wrong,
} from '../support/compare/build-run.ts';
import { readNamed, runEmbedded } from '../support/compare/open-target.ts';
import { gone, slipping } from '../support/compare/slips.ts';

/**
 * What each format shows of each run is compared with these files. `RECORD_REPORTS=1` writes them
 * again.
 */
const recordings = new URL('../../fixtures/reports/', import.meta.url);
const records = process.env['RECORD_REPORTS'] === '1';

const runOf = (cases: readonly CaseResult[], more: Partial<RunResult> = {}): RunReport =>
  createReport(buildRun(cases, more));

const reportText = (report: RunReport, to: NodeJS.WritableStream = new PassThrough()): string =>
  Object.values(formatReportTexts(report, to)).join('\n');

/** A case with everything that a report may show. */
const rich = ((): CaseResult => {
  const lacking = { ...wrong, unexpected: 'The variant form lacks it.', reason: hostile };
  const series = ['streams', 'followers'].map((metric) => ({
    ...{ kind: 'only current' as const, reason: 'A point.' },
    left: { path: `history.${metric}[0].date`, value: '2026-01-01' },
  }));
  return {
    ...bad,
    name: 'rich',
    paths: { left: '/ours', right: '/theirs' },
    items: { left: 2, right: 3 },
    counts: { ...clean.counts, same: 5 },
    blocks: [
      ...Array.from({ length: 4 }, (_, index) => ({ title: `Clean ${index}`, lines: series })),
      ...bad.blocks,
    ],
    blocksLeftOut: 4,
    unexpected: [
      ...['A', 'B'].map((block) => ({ block, line: { ...wrong } })),
      ...['C', 'D', 'E'].map((block) => ({ block, line: { ...lacking } })),
      {
        block: 'F',
        line: { ...wrong, row: 'artist.tier', unexpected: 'The current form lacks it.' },
      },
    ],
    beyondLimit: [{}, {}],
    attempts: 2,
  };
})();

/** A run that was stopped, with cases of each sort, of which one is known, but not like this. */
const failed = ((): RunReport => {
  const known = { ...bad, unexpected: ['A', 'B'].map((block) => ({ block, line: { ...wrong } })) };
  const terms = '2026-08-22';
  const accepted = { reason: 'Mended soon', until: '2026-08-22' };
  const baseline = createBaseline(applyBaseline(buildRun([known]), [], terms), accepted);
  const run = buildRun([clean, known, rich, worst], { stopped: 'Ask again.' });
  return createReport(run, applyBaseline(run, baseline, terms));
})();

const passed = runOf([clean]);

describe('reports', () => {
  const texts = {
    'terminal.txt': reportText,
    'junit.xml': formatJunit,
  };
  const whole = {
    // Without style, and with a line for each element that may hold others.
    'page.html': (report: RunReport) =>
      renderPage(report)
        .replace(/<style>.*?<\/style>/s, '')
        .replaceAll(/<(details|article|p|h2|div class="line)/g, '\n<$1'),
    'report.json': (report: RunReport) =>
      JSON.stringify(formatJsonReport(report)).replaceAll(/([\]}]),/g, '$1,\n'),
    ...texts,
  };
  const shown = {
    failed: [failed, whole],
    outdated: [outdated, texts],
    passed: [passed, texts],
  } as const;
  for (const [name, [{ coverage, ...report }, formats]] of Object.entries(shown))
    for (const [format, show] of Object.entries(formats))
      it(`show a run that is ${name} as recorded in ${format}`, () => {
        const rows = { ...coverage.rows, notExercised: coverage.rows.notExercised.slice(0, 9) };
        const text = show({ ...report, coverage: { ...coverage, rows } }).replaceAll(
          /of \d+ rows/g,
          'of all rows',
        );
        const file = new URL(`${name}-${format}`, recordings);
        if (records) writeFileSync(file, text);
        expect(text).to.equal(readFileSync(file, 'utf8'));
      });

  it('render a self-contained page without requests, and escape every text', () => {
    const page = renderPage(failed);
    expect(page).to.include(`default-src 'none'`);
    expect(page).to.not.match(/<(link|img|iframe|object|embed)\b/);
    expect(page).to.not.match(/\b(src|href)="(?!#)/);
    expect(page).to.not.match(/@import|url\(/);
    expect(page).to.include('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;');
    expect(page).to.not.include('<script');
    for (const text of [page, reportText(failed)]) expect(text).to.not.include('\u202e');
    expect(renderPage(passed))
      .to.include('<p class="verdict">No unexpected difference')
      .and.not.include('"found"');
  });

  it('contain a JUnit test case for each case and for the run', async () => {
    const suites = await parse(formatJunit(runOf([clean, bad, worst])));
    const cases = (suites && 'testsuite' in suites && suites.testsuite?.[0]?.testcase) || [];
    const names = cases.map(({ name }) => name).join();
    expect(names).to.equal('clean,bad,worst,left,the run');
    const failures = cases.flatMap(({ failure }) => failure ?? []);
    expect(failures[0]).to.include({ type: 'difference' });
    expect(failures[1]?.message).to.include('</script>').and.not.include('\u0000');
    expect(cases[3]?.skipped?.[0]).to.deep.equal({ message: 'it needs another key' });
  });

  it('are coloured on a terminal', () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    expect(reportText(passed, terminal)).to.include('\u001b[32m');
    expect(reportText(failed, terminal)).to.include('\u001b[31m');
  });

  describe('of many differences', () => {
    /** One cause in 40 cases with 3 items each. */
    const many = runOf(
      Array.from({ length: 40 }, (_, index) => ({
        ...bad,
        name: `case-${index}`,
        unexpected: [0, 1, 2].map((item) => ({
          block: `items[${item}]`,
          line: {
            ...wrong,
            unexpected: `The variant form differs from ${JSON.stringify(`Name ${index} ${item}`)}.`,
          },
        })),
      })),
    );
    /** 45 causes in a case each, and one in all of them. */
    const crowded = runOf(
      Array.from({ length: 45 }, (_, index) => {
        const line = { ...wrong, row: `artist.member${index}` };
        return {
          ...bad,
          name: `case-${index}`,
          unexpected: [...bad.unexpected, { block: 'B', line }],
        };
      }),
    );

    it('group them by cause, with one example', () => {
      const text = reportText(many);
      expect(text.match(/artist\.name: The variant form differs from …/g)).to.have.lengthOf(1);
      expect(text)
        .to.include('40 cases, 120 items: case-0, case-1,')
        .and.include('case-6, case-7 and 32 more')
        .and.include('and 119 more (--html shows them)');
      expect(text.match(/^ +in case-/gm)).to.have.lengthOf(1);
      expect(text.trimEnd().split('\n').length).to.be.lessThan(60);
    });

    it('show 40 causes at the top, each with three links to cases', () => {
      const page = renderPage(crowded);
      expect(page.match(/class="found"/g)).to.have.lengthOf(40);
      expect(page)
        .to.include('And 6 more causes, in their cases.')
        .and.include('case-2</a> and 42 more');
    });
  });

  it('keep four blocks without a difference, and count the items of all rounds', async () => {
    const each = await readNamed('artist-in-detail');
    const [one] = (await runEmbedded(each)).cases;
    expect(one).to.deep.include({ items: { left: 12, right: 12 }, blocksLeftOut: 32 });
    expect(one?.blocks).to.have.lengthOf(4);
    const slip = { form: 'variant', of: 'artists', at: 'photo', change: gone } as const;
    const [bare] = (await runEmbedded(each, { slip: (send) => slipping(send, slip) })).cases;
    expect(bare?.unexpected.length).to.be.greaterThan(0);
    expect(bare?.counts.renamed, 'statements that hold').to.equal(
      (one?.counts.renamed ?? 0) - (bare?.unexpected.length ?? 0),
    );
  });

  describe('createReport', () => {
    const nothing = { ...clean, blocks: [], items: { left: 0, right: 0 } };
    const health = { ...nothing, listsItems: false };
    const noCounts = { ...nothing, counts: { ...clean.counts, renamed: 0, 'only current': 0 } };
    for (const [what, report, exitCode, text] of [
      ['a stopped run', runOf([clean], { stopped: 'Again.' }), 1, 'Incomplete run. Again.'],
      ['skipped cases alone', runOf([]), 2, 'every case was skipped.'],
      ['cases without a statement', runOf([noCounts]), 2, 'no case made a statement.'],
      ['lists without an item', runOf([nothing]), 2, 'no case found an item.'],
      ['such lists and health', runOf([nothing, health]), 2, 'no case found an item.'],
      ['problems and health alone', runOf([health]), 0, 'No unexpected difference.'],
    ] as const) {
      it(`has exit code ${exitCode} for ${what}`, () => {
        expect(report.verdict.text).to.include(text);
        expect(report.verdict.exitCode).to.equal(exitCode);
      });
    }
  });

  it('fold the points of a series into one line, except wrong points', () => {
    const point = (day: number, unexpected?: string) => ({
      ...{ ...wrong, unexpected },
      left: { path: `history.streams[${day}].date`, value: `2026-01-0${day}` },
    });
    const lines = [point(1), point(2), point(3, 'It is lost.'), point(4)];
    const page = renderPage(runOf([{ ...bad, blocks: [{ title: 'B', lines }] }]));
    for (const text of ['3 points, 2026-01-01 to 2026-01-04', 'It is lost.'])
      expect(page).to.include(text);
  });

  it('mark what differs in a value, and cut values beyond 300 characters', () => {
    const found = differenceFrom('8060000', '8600000');
    expect(found).to.deep.equal({ before: '8', own: '06', after: '0000' });
    expect(differenceFrom('aa', 'aaa')).to.deep.equal({ before: 'aa', own: '', after: '' });
    expect(differenceFrom('aaa', 'aa')).to.deep.equal({ before: 'aa', own: 'a', after: '' });
    expect(formatValue('x'.repeat(298))).to.match(/^"x{298}"$/);
    expect(formatValue('x'.repeat(299))).to.match(/^"x{299}… \(301 characters\)$/);
  });
});
