import { Command } from 'commander';
import { createKeyStore } from '../../../adapters/mongodb/key-store.ts';
import { type Account, accountable, deedOf, present } from '../accountability.ts';
import { loadAllowances } from '../allowances.ts';
import { readSubjectName } from '../arguments.ts';
import { loadIssuedKeys } from '../issued-keys.ts';
import { note } from '../notes.ts';
import { withDatabase } from '../open-database.ts';
import { withQuotas } from '../open-quotas.ts';
import { findSubjects } from './subjects.ts';

const reset = (name: string, options: Account): Promise<void> =>
  withDatabase(async (db) => {
    const now = present();
    const { keyId, organizationId, allowances } = findSubjects(
      await loadIssuedKeys(db),
      name,
      await loadAllowances(),
      now,
    );
    await withQuotas(async (quotas) => {
      const counted = await Promise.all(
        allowances.map(async (one) => `${one.subject} ${one.window}: ${(await quotas.read(one)).used} of ${one.limit}`),
      );
      const deed = deedOf(options, 'quota reset', now);
      await createKeyStore(db).record(deed, { keyId, organizationId, before: { counted } });
      await Promise.all(allowances.map((allowance) => quotas.reset(allowance)));
    });
    note(`Nothing is counted any more in ${allowances.map((one) => `${one.subject} ${one.window}`).join(', ')}.`);
  });

/** Forgets what was counted in the current windows. */
export const resetCommand = (): Command =>
  accountable(
    new Command('reset')
      .description('forget what was counted in every window that "quota show" shows')
      .argument('<organization|key>', 'an id; organization:ID or key:ID if it could be either', readSubjectName),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway quota reset acme --reason "our load test"')
    .action(reset);
