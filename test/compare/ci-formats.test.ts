import { error, notice } from '@actions/core';
import { expect } from 'chai';
import { parse } from 'junit2json';
import { lexer, type Tokens } from 'marked';
import { applyBaseline } from '../../adapters/compare/baseline.ts';
import { formatAnnotations } from '../../adapters/compare/reports/github.ts';
import { formatJunit } from '../../adapters/compare/reports/junit.ts';
import { formatMarkdown } from '../../adapters/compare/reports/markdown.ts';
import type { CaseResult } from '../../adapters/compare/results.ts';
import { createReport, type RunReport } from '../../adapters/compare/verdict.ts';
import { bad, buildRun, clean, hostile, wrong } from '../support/compare/build-run.ts';

/** A difference whose every text would break a format. */
const worst: CaseResult = {
  ...bad,
  name: 'worst',
  unexpected: [
    {
      block: hostile,
      line: { ...wrong, row: undefined, unexpected: `${hostile} | \`x\`, 100 %\u0000::error::\r\n]]>` },
    },
  ],
};

const failed = createReport(buildRun([clean, bad, worst]));
const passed = createReport(buildRun([clean]));
const outdated = ((): RunReport => {
  const entry = { row: 'artist.name', violation: 'The two forms differ.', reason: 'Accepted', until: '2026-01-01' };
  const run = buildRun([clean]);
  return createReport(run, applyBaseline(run, [entry], { today: '2026-08-22', isWhole: true }));
})();

describe('JUnit XML', () => {
  const suitesOf = async (report: RunReport) => {
    const suites = await parse(formatJunit(report));
    return { suites, suite: suites && 'testsuite' in suites ? suites.testsuite?.[0] : undefined };
  };

  it('has a test case for each case and one for the run, as junit2json reads it', async () => {
    const { suites, suite } = await suitesOf(failed);
    expect(suites).to.include({ name: 'compare', tests: 5, failures: 2, errors: 0 });
    expect(suite).to.include({ name: 'Both forms of a catalogue', tests: 5, failures: 2, skipped: 1 });
    const cases = suite?.testcase ?? [];
    expect(cases.map(({ name }) => name)).to.deep.equal(['clean', 'bad', 'worst', 'left', 'the run']);
    const failures = cases.flatMap(({ failure }) => failure ?? []);
    expect(failures[0]).to.include({ message: 'artist.name: The two forms differ.', type: 'difference' });
    expect(failures[1]?.message).to.include('</script>').and.include(' & ').and.not.include('\u0000');
    expect(cases[3]?.skipped?.[0]).to.deep.equal({ message: 'it needs another key' });
  });

  it('fails the run itself when nothing else failed, and says why', async () => {
    const { suite } = await suitesOf(outdated);
    const failure = suite?.testcase?.find(({ name }) => name === 'the run')?.failure?.[0];
    expect(failure?.message).to.match(/^The baseline is out of date\. Expired on 2026-01-01: artist\.name/);
    expect((await suitesOf(passed)).suites).to.include({ tests: 3, failures: 0 });
  });
});

describe('annotations for GitHub Actions', () => {
  /** The lines that GitHub's own library writes. */
  const written = (work: () => void): string[] => {
    const lines: string[] = [];
    const { write } = process.stdout;
    process.stdout.write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
    try {
      work();
    } finally {
      process.stdout.write = write;
    }
    return lines.map((line) => line.trimEnd());
  };

  it("are the commands that GitHub's own library writes", () => {
    const [first, second, last] = formatAnnotations(failed).split('\n');
    const texts = failed.causes.map(({ reason, cases }) => `${reason}\n1 cases, 1 items: ${cases[0]?.name}`);
    const titles = failed.causes.map(({ row, violation }) =>
      `${row ?? 'no row'}: ${violation}`.replaceAll('\u202e', '\\u202e'),
    );
    const controls = (text: string) =>
      text.replaceAll('\u0000', '\\u0000').replaceAll('\r', '\\u000d').replaceAll('\n', '\\u000a');
    const expected = written(() => {
      for (const [index, text] of texts.entries()) error(text, { title: controls(titles[index] ?? '') });
      error(failed.verdict.text, { title: 'Both forms of a catalogue' });
    });
    expect([first, second, last]).to.deep.equal(expected);
  });

  it('are one notice for a run that passed', () => {
    const [line] = written(() => notice('No unexpected difference.', { title: 'Both forms of a catalogue' }));
    expect(formatAnnotations(passed)).to.equal(line);
  });

  it('are at most ten errors of differences, the number that GitHub shows', () => {
    const cases = Array.from({ length: 30 }, (_, index): CaseResult => {
      const line = { ...wrong, row: `artist.member${index}` };
      return { ...bad, name: `case-${index}`, unexpected: [{ block: 'items[0]', line }] };
    });
    const lines = formatAnnotations(createReport(buildRun(cases))).split('\n');
    expect(lines).to.have.lengthOf(11);
    expect(lines[9]).to.equal('::error title=compare::And 21 more: see the report.');
  });
});

describe('Markdown summary', () => {
  const tokensOf = (report: RunReport) => lexer(formatMarkdown(report));
  const textOf = (tokens: readonly Tokens.Generic[] | undefined): string =>
    (tokens ?? []).map((token) => (token['tokens'] ? textOf(token['tokens']) : String(token['text'] ?? ''))).join('');

  it('has the verdict as its heading and a row for each cause, with every text escaped', () => {
    const tokens = tokensOf(failed);
    const heading = tokens.find((token) => token.type === 'heading');
    expect(textOf(heading && 'tokens' in heading ? heading.tokens : [])).to.equal(`❌ ${failed.verdict.text}`);
    const table = tokens.find((token): token is Tokens.Table => token.type === 'table');
    const head = table?.header.map(({ text }) => text).join();
    expect(head).to.equal('cause,cases,items,in,current form,variant form');
    expect(table?.rows.map((cells) => cells.length)).to.deep.equal([6, 6]);
    expect(table?.rows[0]?.slice(1, 4).map(({ text }) => text)).to.deep.equal(['1', '1', 'bad']);
    expect(tokens.filter(({ type }) => type === 'html')).to.deep.equal([]);
    const inline = table?.rows.flat().flatMap(({ tokens: inside }) => inside.map(({ type }) => type)) ?? [];
    expect(new Set(inline)).to.deep.equal(new Set(['text', 'escape']));
  });

  it('names what makes a run fail without a difference', () => {
    expect(formatMarkdown(outdated))
      .to.include('Expired on 2026')
      .and.match(/^## ❌ The baseline is out of date/);
    expect(formatMarkdown(passed)).to.match(/^## ✅ No unexpected difference/);
  });
});
