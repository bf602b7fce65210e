import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { compareContracts } from '../support/contract-changes.ts';
import { contractText, readFrozenContract } from '../support/frozen.ts';

const remedy = 'Run npm run contracts:freeze to rewrite the copy. Ask partners before you break their clients.';

describe('frozen contracts', () => {
  for (const form of forms) {
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
});
