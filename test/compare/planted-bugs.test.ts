import { expect } from 'chai';
import { readCases } from '../../adapters/compare/cases/cases.ts';
import { drawTable } from '../../adapters/text/table.ts';
import { casesFolder, fixtureFolder } from '../../src/runtime/config.ts';
import { createFaultSearch, describeCatch, type FaultSearch, spikes } from '../support/compare/catch-fault.ts';
import { importPlanted } from '../support/compare/import-planted.ts';
import { plantedBugs } from '../support/compare/planted-bugs.ts';

/** The newest day of the example catalogue, and the day before: then some of its artists and points are of tomorrow. */
const instants = ['2026-08-22T12:00:00Z', '2026-08-21T12:00:00Z'].map((text) => Date.parse(text));

describe('compare with a bug planted in src/catalogue', function () {
  this.timeout(20_000);
  const table = [['file', 'bug', 'case', 'row', 'at', 'message']];
  const searches: (readonly [now: number, FaultSearch])[] = [];
  before(async () => {
    // Cases that are repeated for many artists come last.
    const cases = (await readCases(casesFolder)).toSorted((left, right) => (left.each ?? 1) - (right.each ?? 1));
    for (const now of instants) searches.push([now, await createFaultSearch(cases, { folder: fixtureFolder, now })]);
  });
  after(() => process.stdout.write(`${drawTable(table)}\n`));

  it('reports nothing for a gateway without a bug, at either instant', () => {
    expect(searches.map(([, { withoutFault }]) => withoutFault)).to.deep.equal([undefined, undefined]);
  });

  for (const bug of plantedBugs) {
    it(`reports in ${bug.file}: ${bug.name}`, async () => {
      const load = await importPlanted(bug);
      for (const [now, { firstToCatch }] of searches) {
        const planted = await load(fixtureFolder, { now, spikes });
        const caught = await firstToCatch({ catalogue: () => planted });
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
