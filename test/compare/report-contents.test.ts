import { expect } from 'chai';
import { applyBaseline, createBaseline } from '../../adapters/compare/baseline.ts';
import { readCases } from '../../adapters/compare/cases/cases.ts';
import { formatAnnotations } from '../../adapters/compare/reports/github.ts';
import { renderPage } from '../../adapters/compare/reports/html.ts';
import { formatJsonReport } from '../../adapters/compare/reports/json.ts';
import { formatJunit } from '../../adapters/compare/reports/junit.ts';
import { formatMarkdown } from '../../adapters/compare/reports/markdown.ts';
import { formatReportTexts } from '../../adapters/compare/reports/terminal.ts';
import type { CaseResult } from '../../adapters/compare/results.ts';
import { createReport } from '../../adapters/compare/verdict.ts';
import { casesFolder } from '../../src/runtime/config.ts';
import { bad, buildRun, clean, hostile, wrong } from '../support/compare/build-run.ts';
import { runWithFault } from '../support/compare/catch-fault.ts';

describe('reports of a run with all that they show', () => {
  const lacking = { ...wrong, unexpected: 'The variant form lacks it.', reason: hostile };
  const series = ['streams', 'followers'].map((metric) => ({
    ...{ kind: 'only current' as const, reason: 'A point.' },
    current: { path: `history.${metric}[0].date`, value: '2026-01-01' },
  }));
  const rich: CaseResult = {
    ...bad,
    name: 'rich',
    paths: { current: '/ours', variant: '/theirs' },
    items: { current: 2, variant: 3 },
    counts: { ...clean.counts, same: 5 },
    blocks: [...Array.from({ length: 5 }, (_, index) => ({ title: `Clean ${index}`, lines: series })), ...bad.blocks],
    blocksLeftOut: 3,
    unexpected: [
      ...['A', 'B'].map((block) => ({ block, line: { ...wrong } })),
      ...['C', 'D', 'E'].map((block) => ({ block, line: { ...lacking } })),
      { block: 'F', line: { ...wrong, row: 'artist.tier', unexpected: 'The current form lacks it.' } },
    ],
    beyondLimit: [{}, {}],
    attempts: 2,
  };
  const known = { ...bad, unexpected: ['A', 'B'].map((block) => ({ block, line: { ...wrong } })) };
  const terms = { today: '2026-08-22', isWhole: true };
  const accepted = { reason: 'Mended soon', until: '2026-08-22' };
  const baseline = createBaseline(applyBaseline(buildRun([known]), [], terms), accepted);
  const run = buildRun([known, rich], { stopped: 'Ask again.' });
  const report = createReport(run, applyBaseline(run, baseline, terms));
  const page = renderPage(report);
  const text = Object.values(formatReportTexts(report, { colours: false, show: 1, onlyUnexpected: false })).join('\n');
  const markdown = formatMarkdown(report);
  const junit = formatJunit(report);
  const everywhere = { page, text, markdown, junit, annotations: formatAnnotations(report) };
  const phrases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['With it 2 differences that follow: artist.name: The two forms differ.', everywhere],
    ['Known, but not like this: artist.name', { page, text, markdown, annotations: everywhere.annotations }],
    [
      'Known until 2026-08-22: artist.name: The two forms differ. (Mended soon) 2 items in 1 case',
      { page, text, markdown },
    ],
    ['Something to know.', { page, text, markdown }],
    ['it needs another key', { page, text, markdown, junit }],
    ['message="artist.name: The variant form lacks it. and 1 more"', { junit }],
    ['timestamp="2026-08-22T12:00:00"', { junit }],
    ['Compared: 2 cases, 4 items, 17 statements', { page, text, markdown }],
  ];
  for (const [phrase, formats] of phrases)
    it(`is in each of ${Object.keys(formats).join(', ')}: ${phrase}`, () => {
      for (const [format, shown] of Object.entries(formats)) expect(shown, format).to.include(phrase);
    });

  it('says what the page leaves out of a case, and shows both requests, their items and the first difference', () => {
    expect(page)
      .to.include('4 more items that match the crosswalk.')
      .and.include('>Clean 3 ')
      .and.not.include('Clean 4');
    expect(page).to.include('2 items of one form are beyond the limit of the other.').and.include('Asked again, ');
    expect(page).to.match(/current form<br><code>\/ours<\/code><\/div><div>variant form<br><code>\/theirs</);
    expect(page).to.include('2 / 3 items, 5 same, 3 expected differences').and.include('open><summary>items[0]');
    expect(page).to.include('<mark>Other</mark>').and.include('forms differ. <small>The name.</small>');
    expect(page.match(/<\/script>/g)).to.have.lengthOf(2);
    const [, reasons = ''] = /id="reasons">(.*?)<\/script>/.exec(page) ?? [];
    expect(JSON.parse(reasons)).to.have.members(['The name.', 'A point.', hostile]);
  });

  it('names in the text of the terminal how many items are beyond a limit, and which statements hold', () => {
    expect(text).to.include('Beyond the limit of one form, not compared: rich (2).');
    expect(text).to.include('Statements that hold: same 5, renamed 2,');
  });

  it('has in the JSON the requests, what follows, what the baseline lacks and why the run stopped', () => {
    const json = formatJsonReport(report);
    expect(json.cases[1]).to.deep.include({ requests: rich.paths, out_of_reach: 2, asked: 2 });
    expect(json.causes[0]?.followers.map(({ violation, items }) => [violation, items])).to.deep.equal([
      ['The two forms differ.', 2],
    ]);
    expect(json.baseline_failures).to.deep.equal(report.known.failures).and.have.lengthOf(1);
    expect(json.stopped).to.equal('Ask again.');
  });

  it('shows 40 causes at the top of the page, each with links to three of its cases', () => {
    const cases = Array.from({ length: 45 }, (_, index): CaseResult => {
      const line = { ...wrong, row: `artist.member${index}` };
      return { ...bad, name: `case-${index}`, unexpected: [...bad.unexpected, { block: 'B', line }] };
    });
    const crowded = renderPage(createReport(buildRun(cases)));
    expect(crowded.match(/class="found"/g)).to.have.lengthOf(40);
    expect(crowded).to.include('And 6 more causes, in their cases.').and.include('case-2</a> and 42 more');
  });

  it('keeps four blocks without a difference of a case that is repeated, and counts the items of all rounds', async () => {
    const each = (await readCases(casesFolder)).filter(({ name }) => name === 'artist-in-detail');
    const [one] = (await runWithFault(each, {})).cases;
    expect(one?.items).to.deep.equal({ current: 12, variant: 12 });
    expect(one?.blocks).to.have.lengthOf(4);
    expect(one?.blocksLeftOut).to.be.greaterThan(4);
  });
});
