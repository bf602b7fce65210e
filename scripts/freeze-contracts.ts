import { forms } from '../adapters/forms/forms.ts';
import { compareContracts } from '../test/support/contract-changes.ts';
import { contractText, freezeContract, readFrozenContract } from '../test/support/frozen.ts';

/** Rewrites the checked-in contracts, and prints each change and whether it breaks clients. */
for (const form of forms) {
  const changes = compareContracts(JSON.parse(readFrozenContract(form)), JSON.parse(contractText(form)));
  for (const { where, what, breaks } of changes) {
    process.stdout.write(`${form.name}: ${breaks ? 'BREAKS CLIENTS' : 'compatible'}: ${where} ${what}\n`);
  }
  freezeContract(form);
}
