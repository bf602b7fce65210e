import { forms } from '../adapters/forms/forms.ts';
import { compareContracts } from '../test/support/contract-changes.ts';
import { addChanges, readContractLog, writeContractLog } from '../test/support/contract-log-file.ts';
import { contractText, freezeContract, readFrozenContract } from '../test/support/frozen.ts';

/** Rewrites the checked-in contracts and the list of their changes, and prints each change and whether it breaks clients. */
const date = new Date().toISOString().slice(0, 10);

for (const form of forms) {
  const changes = compareContracts(JSON.parse(readFrozenContract(form)), JSON.parse(contractText(form)));
  for (const { where, what, breaks } of changes) {
    process.stdout.write(`${form.name}: ${breaks ? 'BREAKS CLIENTS' : 'compatible'}: ${where} ${what}\n`);
  }
  const text = contractText(form);
  writeContractLog(addChanges(readContractLog(), { form: form.name, date, text, changes }));
  freezeContract(form);
}
