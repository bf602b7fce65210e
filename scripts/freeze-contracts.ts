import { forms } from '../adapters/forms/forms.ts';
import { compareContracts } from '../test/support/contract-changes.ts';
import { freeze, readFrozen, textOf } from '../test/support/frozen.ts';

/** Writes the checked-in contracts anew, and says what that means to clients. */
for (const form of forms) {
  const changes = compareContracts(JSON.parse(readFrozen(form)), JSON.parse(textOf(form)));
  for (const { where, what, breaks } of changes) {
    process.stdout.write(`${form.name}: ${breaks ? 'BREAKS CLIENTS' : 'compatible'}: ${where} ${what}\n`);
  }
  freeze(form);
}
