import { Command } from 'commander';
import type { Allowance } from '../../../src/domain/caller.ts';
import { loadAllowances } from '../../../src/quota/allowances.ts';
import { createKeyStore } from '../../stores/mongodb/key-store.ts';
import { type AuditOptions, auditEntry, currentTime, withAuditOptions } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { type OpenQuotas, withQuotas } from '../open-quotas.ts';
import { readSubjectName } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { findSubjects } from './quota-subjects.ts';

/** What stands there. A count that cannot be read is a reason to reset it, not to refuse; a store that is away refuses that. */
const tell = async (allowance: Allowance, quotas: OpenQuotas): Promise<string> => {
  const { subject, window, limit } = allowance;
  const status = await quotas.read(allowance).catch(() => undefined);
  return `${subject} ${window}: ${status === undefined ? 'nothing that can be read' : `${status.used} of ${limit}`}`;
};

const reset = (name: string, options: AuditOptions): Promise<void> =>
  withDatabase(async (db) => {
    const now = currentTime();
    const { keyId, organizationId, allowances } = findSubjects(
      await loadKeyRegistry(db),
      name,
      await loadAllowances(),
      now,
    );
    await withQuotas(async (quotas) => {
      const counted = await Promise.all(allowances.map((allowance) => tell(allowance, quotas)));
      const deed = auditEntry(options, 'quota reset', now);
      await createKeyStore(db).record(deed, { keyId, organizationId, before: { counted } });
      await Promise.all(allowances.map((allowance) => quotas.reset(allowance)));
    });
    note(`Nothing is counted any more in ${allowances.map((one) => `${one.subject} ${one.window}`).join(', ')}.`);
  });

/** Forgets what was counted in the current windows. */
export const resetCommand = (): Command =>
  withAuditOptions(
    new Command('reset')
      .description('forget what was counted in every window that "quota show" shows')
      .argument('<organization|key>', 'an id; organization:ID or key:ID if it could be either', readSubjectName),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway quota reset acme --reason "our load test"')
    .action(reset);
