import { expect } from 'chai';
import { renderPage } from '../../adapters/compare/reports/html.ts';
import { formatJsonReport } from '../../adapters/compare/reports/json.ts';
import { formatTerminalReport } from '../../adapters/compare/reports/terminal.ts';
import { differenceFrom, formatValue } from '../../adapters/compare/reports/values.ts';
import type { CaseResult, RunResult } from '../../adapters/compare/results.ts';

const hostile = '</script><img src=x onerror=alert(1)> & "quoted" \u202eevil';

const clean: CaseResult = {
  name: 'clean',
  asks: 'Nothing wrong here',
  key: 'full',
  paths: { current: '/api/v1/artists', variant: '/api/v1/artists' },
  items: { current: 1, variant: 1 },
  blocks: [
    {
      title: 'items[0] Somebody',
      lines: [
        {
          kind: 'renamed',
          current: { path: 'photo_url', value: 'p' },
          variant: { path: 'photo', value: 'p' },
          reason: 'The same.',
        },
        ...['date', 'value'].map((member) => ({
          kind: 'only current' as const,
          current: { path: `history.streams[0].${member}`, value: member === 'date' ? '2026-01-01' : 5 },
          reason: 'A point.',
        })),
      ],
    },
  ],
  counts: {
    same: 0,
    renamed: 1,
    moved: 0,
    derived: 0,
    'scope-gated': 0,
    'only current': 2,
    'only variant': 0,
    volatile: 0,
  },
  unexpected: [],
  beyondLimit: [],
  attempts: 1,
};

const wrong = {
  kind: 'same' as const,
  current: { path: 'name', value: hostile },
  variant: { path: 'name', value: 'Other' },
  reason: 'The name.',
  unexpected: 'The two forms differ.',
};

const bad: CaseResult = {
  ...clean,
  name: 'bad',
  blocks: [{ title: `items[0] ${hostile}`, lines: [wrong] }],
  unexpected: [{ block: `items[0] ${hostile}`, line: wrong }],
};

const runOf = (...cases: readonly CaseResult[]): RunResult => ({
  target: 'a catalogue',
  now: '2026-08-22T12:00:00.000Z',
  cases,
  skipped: [{ name: 'left', reason: 'it needs another key' }],
  notes: ['Something to know.'],
  stopped: undefined,
});

describe('reports', () => {
  describe('renderPage', () => {
    const page = renderPage(runOf(clean, bad));

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
      expect(page).to.include('1 unexpected difference in one case of 2');
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
      const none = renderPage(runOf(clean));
      expect(none).to.include('No unexpected difference').and.not.include('class="found"');
    });
  });

  it('formats every difference as JSON with both paths and values', () => {
    const report = JSON.parse(JSON.stringify(formatJsonReport(runOf(clean, bad))));
    expect(report).to.include({ unexpected: 1, subject: 'a catalogue' });
    expect(report.cases[0].counts).to.include({ renamed: 1, 'only current': 2 });
    expect(report.cases[1].unexpected).to.deep.equal([
      {
        where: `items[0] ${hostile}`,
        kind: 'same',
        current: { path: 'name', value: hostile },
        variant: { path: 'name', value: 'Other' },
        unexpected: 'The two forms differ.',
        reason: 'The name.',
      },
    ]);
  });

  it('formats a table for a terminal, with and without colours', () => {
    const text = formatTerminalReport(runOf(clean, bad), { colours: false, columns: 200 });
    expect(text).to.match(/│ clean +│ +1 │ +0 │ +1 │ +2 │ +0 │/);
    expect(text).to.include('✗ bad').and.include('"Other"').and.include('The two forms differ.');
    expect(text).to.include('One unexpected difference.').and.include('Skipped, because it needs another key: left.');
    expect(text).to.not.include('\u001b').and.not.include('\u202e');
    expect(formatTerminalReport(runOf(clean), { colours: true, columns: 80 })).to.include('\u001b[32m');
  });

  it('finds the part of a value that differs from its counterpart', () => {
    expect(differenceFrom('8060000', '8600000')).to.deep.equal({ before: '8', own: '06', after: '0000' });
    expect(differenceFrom('aa', 'aaa')).to.deep.equal({ before: 'aa', own: '', after: '' });
    expect(differenceFrom('aaa', 'aa')).to.deep.equal({ before: 'aa', own: 'a', after: '' });
    expect(differenceFrom('x', 'y')).to.deep.equal({ before: '', own: 'x', after: '' });
    expect(differenceFrom('same', 'same')).to.deep.equal({ before: 'same', own: '', after: '' });
  });

  it('truncates values beyond 300 characters', () => {
    expect(formatValue('x'.repeat(1000))).to.match(/^"x+… \(1002 characters\)$/);
  });
});
