import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ComparisonCase, readCases } from '../../adapters/compare/cases/cases.ts';
import { renderAcceptance, withAcceptance } from '../../scripts/acceptance-table.ts';
import { pathRows } from '../../src/crosswalk/request-rows.ts';
import { casesFolder, docsFolder } from '../../src/runtime/config.ts';

describe('acceptance table', () => {
  let cases: readonly ComparisonCase[];
  before(async () => {
    cases = await readCases(casesFolder);
  });

  it('equals the one in docs/comparing.md (else run npm run generate)', () => {
    const guide = readFileSync(join(docsFolder, 'comparing.md'), 'utf8');
    expect(withAcceptance(guide, cases)).to.equal(guide);
  });

  it('lists every case once, and cases of every route', () => {
    const lines = renderAcceptance(cases).split('\n');
    const listed = lines.flatMap((line) => /^\|.*\| `([a-z0-9-]+)` \|$/.exec(line)?.[1] ?? []);
    expect(listed.filter((name) => cases.some((one) => one.name === name)).sort()).to.deep.equal(
      cases.map(({ name }) => name).sort(),
    );
    const titles = lines.filter((line) => line.startsWith('### '));
    for (const { current } of pathRows)
      expect(
        titles.some((line) => line.startsWith(`### ${current}`)),
        current,
      ).to.equal(true);
  });

  it('has as many cells in every line of a table as the line above it', () => {
    const cellsOf = (line: string) => line.replaceAll('\\|', '').split('|').length;
    const lines = renderAcceptance(cases).split('\n');
    const uneven = lines.filter(
      (line, index) =>
        line.startsWith('|') && lines[index - 1]?.startsWith('|') && cellsOf(line) !== cellsOf(lines[index - 1] ?? ''),
    );
    expect(uneven).to.deep.equal([]);
  });
});
