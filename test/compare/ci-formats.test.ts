import { expect } from 'chai';
import { parse } from 'junit2json';
import { formatJunit } from '../../adapters/compare/reports/junit.ts';
import { createReport } from '../../adapters/compare/verdict.ts';
import { bad, buildRun, clean, worst } from '../support/compare/build-run.ts';

const failed = createReport(buildRun([clean, bad, worst]));

/** `reports.test.ts` has the whole texts; here a program that it is for reads it. */
describe('JUnit XML', () => {
  it('has a test case for each case and one for the run, as junit2json reads it', async () => {
    const suites = await parse(formatJunit(failed));
    const cases = (suites && 'testsuite' in suites && suites.testsuite?.[0]?.testcase) || [];
    expect(cases.map(({ name }) => name)).to.deep.equal(['clean', 'bad', 'worst', 'left', 'the run']);
    const failures = cases.flatMap(({ failure }) => failure ?? []);
    expect(failures[0]).to.include({ message: 'artist.name: The two forms differ.', type: 'difference' });
    expect(failures[0]?.inner).to.match(/GET \/api\/v1\/artists\n +name ".*".*\n.*variant form.*\n +name "Other"/s);
    expect(failures[1]?.message).to.include('</script>').and.include(' & ').and.not.include('\u0000');
    expect(cases[3]?.skipped?.[0]).to.deep.equal({ message: 'it needs another key' });
  });
});
