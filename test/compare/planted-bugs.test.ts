import { expect } from 'chai';
import { type ComparisonCase, readCases } from '../../adapters/compare/cases/cases.ts';
import { drawTable } from '../../adapters/text/table.ts';
import { casesFolder, fixtureFolder } from '../../src/runtime/config.ts';
import { describeCatch, firstToCatch, spikes } from '../support/compare/catch-fault.ts';
import { loadPlanted, plantedBugs } from '../support/compare/planted-bugs.ts';

/** The newest day of the example catalogue, and the day before: then some of its artists and points are of tomorrow. */
const instants = ['2026-08-22T12:00:00Z', '2026-08-21T12:00:00Z'].map((text) => Date.parse(text));

describe('compare with a bug planted in src/catalogue', function () {
  this.timeout(20_000);
  const table = [['file', 'bug', 'case', 'row', 'at', 'message']];
  let cases: readonly ComparisonCase[];
  before(async () => {
    // Cases that are repeated for many artists come last.
    cases = (await readCases(casesFolder)).toSorted((left, right) => (left.each ?? 1) - (right.each ?? 1));
  });
  after(() => process.stdout.write(`${drawTable(table)}\n`));

  it('reports nothing for a gateway without a bug, at either instant', async () => {
    for (const now of instants) {
      expect(await firstToCatch(cases, {}, { folder: fixtureFolder, now })).to.equal(undefined);
    }
  });

  for (const bug of plantedBugs) {
    it(`reports in ${bug.file}: ${bug.name}`, async () => {
      for (const now of instants) {
        const planted = await loadPlanted(bug, fixtureFolder, { now, spikes });
        const caught = await firstToCatch(cases, { catalogue: () => planted }, { folder: fixtureFolder, now });
        if (caught === undefined) continue;
        const [name = '', row = '', ...rest] = describeCatch(caught);
        table.push([bug.file, bug.name, now === instants[0] ? name : `${name}, a day earlier`, row, ...rest]);
        expect(row, 'the row that reports it').to.not.equal('none');
        return;
      }
      expect.fail('no case reported it');
    });
  }
});
