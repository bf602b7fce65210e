import { Command } from 'commander';
import { formatInstant } from '../../../src/domain/instants.ts';
import { createKeyStore } from '../../stores/mongodb/key-store.ts';
import { type AuditOptions, auditEntry, currentTime, withAuditOptions } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { note } from '../terminal/messages.ts';

const suspend = (id: string, options: AuditOptions): Promise<void> =>
  withDatabase(async (db) => {
    const before = (await loadKeyRegistry(db)).organization(id);
    if (before.suspendedAt !== undefined) {
      throw new Error(`${id} is suspended since ${formatInstant(before.suspendedAt)}: nothing was changed.`);
    }
    const now = currentTime();
    const deed = auditEntry(options, 'organizations suspend', now);
    await createKeyStore(db).changeOrganization(before, { ...before, suspendedAt: now }, deed);
    note(`Organization ${id} is suspended: gateways refuse all its keys within seconds.`);
  });

const resume = (id: string, options: AuditOptions): Promise<void> =>
  withDatabase(async (db) => {
    const before = (await loadKeyRegistry(db)).organization(id);
    if (before.suspendedAt === undefined) throw new Error(`${id} is not suspended: nothing was changed.`);
    const deed = auditEntry(options, 'organizations resume', currentTime());
    await createKeyStore(db).changeOrganization(before, { ...before, suspendedAt: undefined }, deed);
    note(`Organization ${id} is resumed: its keys are good again within seconds, but for those that ended.`);
  });

/** Refuses all keys of an organization, until it is resumed. */
export const suspendCommand = (): Command =>
  withAuditOptions(
    new Command('suspend')
      .description('refuse all keys of an organization, until it is resumed')
      .argument('<organization>', 'its id'),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway organizations suspend acme --reason "unpaid"')
    .action(suspend);

/** Makes the keys of a suspended organization good again. */
export const resumeCommand = (): Command =>
  withAuditOptions(
    new Command('resume')
      .description('make the keys of a suspended organization good again')
      .argument('<organization>', 'its id'),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway organizations resume acme --reason "paid"')
    .action(resume);
