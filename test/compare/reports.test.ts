import { expect } from 'chai';
import { renderPage } from '../../adapters/compare/reports/html.ts';
import { formatJsonReport } from '../../adapters/compare/reports/json.ts';
import { formatReportTexts, type TerminalOptions } from '../../adapters/compare/reports/terminal.ts';
import { differenceFrom, formatValue } from '../../adapters/compare/reports/values.ts';
import type { CaseResult, RunResult } from '../../adapters/compare/results.ts';
import { createReport, type RunReport } from '../../adapters/compare/verdict.ts';
import { bad, buildRun, clean, hostile, wrong } from '../support/compare/build-run.ts';

const runOf = (cases: readonly CaseResult[], more: Partial<RunResult> = {}): RunReport =>
  createReport(buildRun(cases, more));

const plain = { colours: false, show: 1, onlyUnexpected: false };

const reportText = (report: RunReport, options: TerminalOptions): string => {
  const { before, after } = formatReportTexts(report, options);
  return `${before}\n${after}`;
};

describe('reports', () => {
  describe('renderPage', () => {
    const page = renderPage(runOf([clean, bad]));

    it('renders a self-contained page whose policy allows no request', () => {
      expect(page).to.include(`default-src 'none'`);
      expect(page).to.not.match(/<(link|img|iframe|object|embed)\b/);
      expect(page).to.not.match(/\b(src|href)="(?!#)/);
      expect(page).to.not.match(/@import|url\(/);
    });

    it('escapes text from answers', () => {
      expect(page).to.not.include('<img src=x');
      expect(page).to.include('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;');
      expect(page.match(/<\/script>/g)).to.have.lengthOf(2);
      expect(page).to.not.include('\u202eevil&quot;');
    });

    it('shows differences first and opens only their cases', () => {
      expect(page).to.include('1 unexpected difference with 1 cause in 1 of 2 cases');
      expect(page.indexOf('class="found"')).to.be.lessThan(page.indexOf('<form>'));
      expect(page).to.match(/<details class="case bad" id="case-bad"[^>]* open>/);
      expect(page).to.match(/<details class="case" id="case-clean"[^>]*"><summary>/);
      expect(page.indexOf('id="case-bad"')).to.be.lessThan(page.indexOf('id="case-clean"'));
    });

    it('shows paired members side by side and a series in one line', () => {
      expect(page).to.match(/<b>photo_url<\/b><code>&quot;p&quot;<\/code><\/div><div class="side"><b>photo<\/b>/);
      expect(page).to.include('<b>history.streams</b><code>1 points, 2026-01-01 to 2026-01-01</code>');
    });

    it('shows a verdict without differences', () => {
      const none = renderPage(runOf([clean]));
      expect(none).to.include('No unexpected difference').and.not.include('class="found"');
    });
  });

  it('formats every difference as JSON with both paths and values', () => {
    const report = JSON.parse(JSON.stringify(formatJsonReport(runOf([clean, bad]))));
    expect(report).to.include({ unexpected: 1, subject: 'a catalogue' });
    expect(report.cases[0].counts).to.include({ renamed: 1, 'only current': 2 });
    expect(report.cases[1].unexpected).to.deep.equal([
      {
        where: `items[0] ${hostile}`,
        kind: 'same',
        row: 'artist.name',
        current: { path: 'name', value: hostile },
        variant: { path: 'name', value: 'Other' },
        unexpected: 'The two forms differ.',
        reason: 'The name.',
      },
    ]);
  });

  describe('formatReportTexts', () => {
    /** One cause in 40 cases with 3 items each. */
    const many = Array.from(
      { length: 40 },
      (_, index): CaseResult => ({
        ...bad,
        name: `case-${index}`,
        unexpected: [0, 1, 2].map((item) => ({
          block: `items[${item}]`,
          line: { ...wrong, unexpected: `The variant form must say ${JSON.stringify(`Name ${index} ${item}`)}.` },
        })),
      }),
    );
    const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n');

    it('groups differences by cause, with one example, and says how to see more', () => {
      const text = reportText(runOf(many), { ...plain, onlyUnexpected: false });
      expect(text.match(/artist\.name: The variant form must say …/g)).to.have.lengthOf(1);
      expect(text)
        .to.include('40 cases, 120 items: case-0, case-1,')
        .and.include('case-6, case-7 and 32 more')
        .and.include('and 119 more (--show 100 shows them)');
      expect(text.match(/^ +in case-/gm)).to.have.lengthOf(1);
      expect(linesOf(text).length).to.be.lessThan(60);
      expect(reportText(runOf(many), { ...plain, onlyUnexpected: true })).to.not.include('--show');
    });

    it('shows --show examples of a cause', () => {
      expect(reportText(runOf(many), { ...plain, show: 5 }).match(/^ +in case-/gm)).to.have.lengthOf(5);
    });

    it('says the verdict first and last', () => {
      const lines = linesOf(reportText(runOf([clean, bad]), plain));
      expect(lines[0]).to.equal('1 unexpected difference with 1 cause in 1 of 2 cases.');
      expect(lines.at(-1)).to.equal(lines[0]);
    });

    it('says how much was compared, and which rows of the crosswalk were not', () => {
      const text = reportText(runOf([clean, bad]), plain);
      expect(text).to.match(/Compared: 2 cases, 2 items, 7 statements; 1 of \d+ rows of the crosswalk\./);
      expect(text).to.include('Rows that no case exercised: artist.id, artist.photo_url,');
    });
  });

  describe('createReport', () => {
    const nothing = { ...clean, blocks: [], items: { current: 0, variant: 0 } };
    const noCounts = { ...nothing, counts: { ...clean.counts, renamed: 0, 'only current': 0 } };
    const runs: readonly (readonly [string, RunReport, number, string])[] = [
      ['a run without a difference', runOf([clean]), 0, 'No unexpected difference.'],
      ['a run with a difference', runOf([clean, bad]), 1, '1 unexpected difference'],
      ['a run that a quota ended', runOf([clean], { stopped: 'Ask again.' }), 1, 'Incomplete run. Ask again.'],
      ['skipped cases alone', runOf([]), 2, 'Nothing was compared: every case was skipped.'],
      ['cases without a statement', runOf([noCounts]), 2, 'Nothing was compared: no case made a statement.'],
      ['lists without an item', runOf([nothing]), 2, 'Nothing was compared: no case found an item.'],
      ['problems and health alone', runOf([{ ...nothing, listsItems: false }]), 0, 'No unexpected difference.'],
    ];
    for (const [what, { verdict }, exitCode, text] of runs) {
      it(`has exit code ${exitCode} for ${what}`, () => {
        expect(verdict.text).to.include(text);
        expect(verdict.exitCode).to.equal(exitCode);
      });
    }
  });

  it('formats the texts around the table of cases, with and without colours', () => {
    const text = reportText(runOf([clean, bad]), plain);
    expect(text).to.include('1. artist.name').and.include('"Other"').and.include('The two forms differ.');
    expect(text).to.include('Skipped, because it needs another key: left.');
    expect(text).to.not.include('\u001b').and.not.include('\u202e');
    expect(reportText(runOf([clean]), { ...plain, colours: true })).to.include('\u001b[32m');
  });

  it('finds the part of a value that differs from its counterpart', () => {
    expect(differenceFrom('8060000', '8600000')).to.deep.equal({ before: '8', own: '06', after: '0000' });
    expect(differenceFrom('aa', 'aaa')).to.deep.equal({ before: 'aa', own: '', after: '' });
    expect(differenceFrom('aaa', 'aa')).to.deep.equal({ before: 'aa', own: 'a', after: '' });
    expect(differenceFrom('x', 'y')).to.deep.equal({ before: '', own: 'x', after: '' });
    expect(differenceFrom('same', 'same')).to.deep.equal({ before: 'same', own: '', after: '' });
  });

  it('truncates values beyond 300 characters', () => {
    expect(formatValue('x'.repeat(298))).to.match(/^"x{298}"$/);
    expect(formatValue('x'.repeat(299))).to.match(/^"x{299}… \(301 characters\)$/);
  });
});
