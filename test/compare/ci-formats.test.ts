import { error, notice } from '@actions/core';
import { expect } from 'chai';
import { parse } from 'junit2json';
import { lexer, type Tokens } from 'marked';
import { formatAnnotations } from '../../adapters/compare/reports/github.ts';
import { formatJunit } from '../../adapters/compare/reports/junit.ts';
import { formatMarkdown } from '../../adapters/compare/reports/markdown.ts';
import { createReport } from '../../adapters/compare/verdict.ts';
import { plainText } from '../../adapters/text/plain-text.ts';
import { bad, buildRun, clean, hostile, outdated, worst } from '../support/compare/build-run.ts';

const failed = createReport(buildRun([clean, bad, worst]));
const passed = createReport(buildRun([clean]));

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

/** `reports.test.ts` has the whole texts; here the programs that they are for read them. */
describe('reports for CI', () => {
  it('as JUnit XML have a test case for each case and one for the run, as junit2json reads it', async () => {
    const suitesOf = async (text: string) => {
      const suites = await parse(text);
      return { suites, suite: suites && 'testsuite' in suites ? suites.testsuite?.[0] : undefined };
    };
    const { suites, suite } = await suitesOf(formatJunit(failed));
    expect(suites).to.include({ name: 'compare', tests: 5, failures: 2, errors: 0, time: 0.75 });
    expect(suite).to.include({ name: 'Both forms of a catalogue', tests: 5, failures: 2, skipped: 1, time: 0.75 });
    const cases = suite?.testcase ?? [];
    expect(cases.map(({ name }) => name)).to.deep.equal(['clean', 'bad', 'worst', 'left', 'the run']);
    expect(cases.map(({ time }) => time)).to.deep.equal([0.25, 0.25, 0.25, 0, 0]);
    const failures = cases.flatMap(({ failure }) => failure ?? []);
    expect(failures[0]).to.include({ message: 'artist.name: The two forms differ.', type: 'difference' });
    expect(failures[1]?.message).to.include('</script>').and.include(' & ').and.not.include('\u0000');
    expect(cases[3]?.skipped?.[0]).to.deep.equal({ message: 'it needs another key' });
    const ofRun = (await suitesOf(formatJunit(outdated))).suite?.testcase?.find(({ name }) => name === 'the run');
    expect(ofRun?.failure?.[0]?.message).to.match(/^The baseline is out of date\. Expired on 2026-01-01: artist\.name/);
  });

  it("as annotations are the commands that GitHub's own library writes, one notice for a run that passed", () => {
    const heading = { title: 'Both forms of a catalogue' };
    const texts = failed.causes.map(({ reason, cases }) => `${reason}\n1 cases, 1 items: ${cases[0]?.name}`);
    const titles = failed.causes.map(({ row, violation }) =>
      `${row ?? 'no row'}: ${violation}`.replaceAll('\u202e', '\\u202e'),
    );
    const controls = (text: string) =>
      text.replaceAll('\u0000', '\\u0000').replaceAll('\r', '\\u000d').replaceAll('\n', '\\u000a');
    const expected = written(() => {
      for (const [index, text] of texts.entries()) error(text, { title: controls(titles[index] ?? '') });
      error(failed.verdict.text, heading);
    });
    expect(formatAnnotations(failed).split('\n')).to.deep.equal(expected);
    const [line] = written(() => notice('No unexpected difference.', heading));
    expect(formatAnnotations(passed)).to.equal(line);
  });

  it('as Markdown have the verdict as heading, and a heading and both values of each cause, every text escaped', () => {
    const textOf = (inside: readonly Tokens.Generic[] | undefined): string =>
      (inside ?? []).map((token) => (token['tokens'] ? textOf(token['tokens']) : String(token['text'] ?? ''))).join('');
    const tokens = lexer(formatMarkdown(failed));
    const headings = tokens.filter((token) => token.type === 'heading');
    const titles = failed.causes.map(
      ({ row, violation }, index) => `${index + 1}. ${row ?? 'no row'}: ${plainText(violation)}`,
    );
    expect(headings.map((heading) => textOf('tokens' in heading ? heading.tokens : []))).to.deep.equal([
      `❌ ${failed.verdict.text}`,
      ...titles,
    ]);
    const lists = tokens.filter((token): token is Tokens.List => token.type === 'list');
    const values = lists.map(({ items }) => items.map(({ tokens: inside }) => textOf(inside)));
    const expected = [`current form: name ${plainText(JSON.stringify(hostile))}`, 'variant form: name "Other"'];
    expect(values).to.deep.equal([expected, expected]);
    const types = (inside: readonly Tokens.Generic[]): string[] =>
      inside.flatMap((token) => [token.type, ...types(token['tokens'] ?? [])]);
    expect(new Set(types(tokens))).to.deep.equal(
      new Set(['heading', 'paragraph', 'list', 'text', 'escape', 'codespan', 'space']),
    );
  });
});
