import { Command } from 'commander';
import { createKeyStore } from '../../../adapters/mongodb/key-store.ts';
import type { Allowance } from '../../caller.ts';
import { type Account, accountable, deedOf, present } from '../accountability.ts';
import { loadAllowances } from '../allowances.ts';
import { readSubjectName } from '../arguments.ts';
import { loadIssuedKeys } from '../issued-keys.ts';
import { note } from '../notes.ts';
import { withDatabase } from '../open-database.ts';
import { type OpenQuotas, withQuotas } from '../open-quotas.ts';
import { findSubjects } from './subjects.ts';

/** What stands there. A count that cannot be read is a reason to reset it, not to refuse; a store that is away refuses that. */
const tell = async (allowance: Allowance, quotas: OpenQuotas): Promise<string> => {
  const { subject, window, limit } = allowance;
  const standing = await quotas.read(allowance).catch(() => undefined);
  return `${subject} ${window}: ${standing === undefined ? 'nothing that can be read' : `${standing.used} of ${limit}`}`;
};

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
      const counted = await Promise.all(allowances.map((allowance) => tell(allowance, quotas)));
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
