import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { compareContracts } from '../support/contract-changes.ts';
import { contractText, readFrozenContract } from '../support/frozen.ts';

const remedy = 'npm run contracts:freeze writes the copy anew; what breaks clients needs their consent first.';

describe('frozen contracts', () => {
  for (const form of forms) {
    it(`of the ${form.name} form: the contract has not changed since partners were given it`, () => {
      const changes = compareContracts(JSON.parse(readFrozenContract(form)), JSON.parse(contractText(form)));
      const told = changes.map(
        ({ where, what, breaks }) => `${breaks ? 'BREAKS CLIENTS' : 'compatible'}: ${where} ${what}`,
      );
      expect(told, remedy).to.deep.equal([]);
      expect(readFrozenContract(form) === contractText(form), `words or examples changed. ${remedy}`).to.equal(true);
    });
  }
});
