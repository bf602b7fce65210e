import { error, notice } from '@actions/core';
import { expect } from 'chai';
import { parse } from 'junit2json';
import { lexer, type Tokens } from 'marked';
import { applyBaseline, createBaseline } from '../../adapters/compare/baseline.ts';
import { formatAnnotations } from '../../adapters/compare/reports/github.ts';
import { formatJunit } from '../../adapters/compare/reports/junit.ts';
import { formatMarkdown } from '../../adapters/compare/reports/markdown.ts';
import type { CaseResult } from '../../adapters/compare/results.ts';
import { createReport, type RunReport } from '../../adapters/compare/verdict.ts';
import { plainText } from '../../adapters/text/plain-text.ts';
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

const plain = {
  ...wrong,
  row: 'artist.photo_url',
  current: { path: 'photo_url', value: 'https://a.example/b_c.jpg' },
  variant: { path: 'photo', value: 'http://a.example/b_c.jpg' },
};

const failed = createReport(buildRun([clean, bad, worst]));
const passed = createReport(buildRun([clean]));
const outdated = ((): RunReport => {
  const [accepting, terms] = [buildRun([bad]), { today: '2026-01-01', isWhole: true }];
  const baseline = createBaseline(applyBaseline(accepting, [], terms), { reason: 'Accepted', until: '2026-01-01' });
  const run = buildRun([clean]);
  return createReport(run, applyBaseline(run, baseline, { ...terms, today: '2026-08-22' }));
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
    expect(cases.map(({ time }) => time)).to.deep.equal([0.25, 0.25, 0.25, 0, 0]);
    expect([suites?.time, suite?.time]).to.deep.equal([0.75, 0.75]);
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

  it('has the verdict as its heading, and a heading and both values of each cause, with every text escaped', () => {
    const tokens = tokensOf(failed);
    const headings = tokens.filter((token) => token.type === 'heading');
    const texts = headings.map((heading) => textOf('tokens' in heading ? heading.tokens : []));
    const titles = failed.causes.map(
      ({ row, violation }, index) => `${index + 1}. ${row ?? 'no row'}: ${plainText(violation)}`,
    );
    expect(texts).to.deep.equal([`❌ ${failed.verdict.text}`, ...titles]);
    const lists = tokens.filter((token): token is Tokens.List => token.type === 'list');
    const values = lists.map(({ items }) => items.map(({ tokens: inside }) => textOf(inside)));
    const expected = [`current form: name ${plainText(JSON.stringify(hostile))}`, 'variant form: name "Other"'];
    expect(values).to.deep.equal([expected, expected]);
    expect(tokens.filter(({ type }) => type === 'html')).to.deep.equal([]);
    const types = (inside: readonly Tokens.Generic[]): string[] =>
      inside.flatMap((token) => [token.type, ...types(token['tokens'] ?? [])]);
    expect(new Set(types(tokens))).to.deep.equal(
      new Set(['heading', 'paragraph', 'list', 'text', 'escape', 'codespan', 'space']),
    );
  });

  it('is readable as text: one cause below the other, values as they are', () => {
    const text = formatMarkdown(
      createReport(buildRun([{ ...bad, unexpected: [{ block: 'items[0] A', line: plain }] }])),
    );
    expect(text).to.include(
      [
        '### 1. `artist.photo_url`: The two forms differ.',
        '1 case, 1 item: bad.',
        'For example in `bad`, `items[0] A`:',
        '- current form: `photo_url "https://a.example/b_c.jpg"`\n- variant form: `photo "http://a.example/b_c.jpg"`',
      ].join('\n\n'),
    );
  });

  it('names what makes a run fail without a difference', () => {
    expect(formatMarkdown(outdated))
      .to.include('Expired on 2026')
      .and.match(/^## ❌ The baseline is out of date/);
    expect(formatMarkdown(passed)).to.match(/^## ✅ No unexpected difference/);
  });
});
