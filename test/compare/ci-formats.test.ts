import { error, notice } from '@actions/core';
import { expect } from 'chai';
import { parse } from 'junit2json';
import { formatAnnotations } from '../../adapters/compare/reports/github.ts';
import { formatJunit } from '../../adapters/compare/reports/junit.ts';
import { createReport } from '../../adapters/compare/verdict.ts';
import { bad, buildRun, clean, worst } from '../support/compare/build-run.ts';

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
    const suites = await parse(formatJunit(failed));
    const cases = (suites && 'testsuite' in suites && suites.testsuite?.[0]?.testcase) || [];
    expect(cases.map(({ name }) => name)).to.deep.equal(['clean', 'bad', 'worst', 'left', 'the run']);
    const failures = cases.flatMap(({ failure }) => failure ?? []);
    expect(failures[0]).to.include({ message: 'artist.name: The two forms differ.', type: 'difference' });
    expect(failures[1]?.message).to.include('</script>').and.include(' & ').and.not.include('\u0000');
    expect(cases[3]?.skipped?.[0]).to.deep.equal({ message: 'it needs another key' });
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
});
