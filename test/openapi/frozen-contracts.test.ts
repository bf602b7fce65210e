import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { compareContracts } from '../support/contract-changes.ts';
import { addChanges, contractLogText, digestOf, readContractLog, readLogFile } from '../support/contract-log-file.ts';
import { contractText, readFrozenContract } from '../support/frozen.ts';

const remedy = 'Run npm run contracts:freeze to rewrite the copy. Ask partners before you break their clients.';

describe('frozen contracts', () => {
  for (const form of forms) {
    it(`of the ${form.name} form are what the last entry of /docs/changes left`, () => {
      expect(readContractLog().contracts[form.name], remedy).to.equal(digestOf(readFrozenContract(form)));
    });

    it(`of the ${form.name} form equal the contracts that the code produces`, () => {
      const changes = compareContracts(JSON.parse(readFrozenContract(form)), JSON.parse(contractText(form)));
      const descriptions = changes.map(
        ({ where, what, breaks }) => `${breaks ? 'BREAKS CLIENTS' : 'compatible'}: ${where} ${what}`,
      );
      expect(descriptions, remedy).to.deep.equal([]);
      expect(readFrozenContract(form) === contractText(form), `descriptions or examples changed. ${remedy}`).to.equal(
        true,
      );
    });
  }

  it('are listed with stable ids, each change once', () => {
    const changes = [
      { where: 'GET /api/v1/artists 200.data[].age', what: 'was added', breaks: false },
      { where: 'GET /api/v1/added 200.data[].age', what: 'was added', breaks: false },
      { where: 'GET /api/v1/spikes 410', what: 'was added', breaks: true },
    ];
    const change = { form: 'current', date: '2026-12-01', text: 'one', changes };
    const log = addChanges({ contracts: {}, changes: [] }, change);
    expect(log.changes.map(({ what, paths, breaking }) => [what, paths.length, breaking])).to.deep.equal([
      ['`age` was added', 2, false],
      ['`410` was added', 1, true],
    ]);
    expect(addChanges(log, change)).to.equal(log);
    const later = addChanges(log, { ...change, text: 'two', changes: [] });
    expect(later.changes.slice(1)).to.deep.equal(log.changes);
    expect(later.changes[0]?.what).to.equal('Descriptions or examples changed');
    const ids = readContractLog().changes.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('have a list of changes that is written as it is checked in', () => {
    expect(contractLogText(readContractLog()) === readLogFile()).to.equal(true);
  });
});
