import { Command } from 'commander';
import { inactiveReason } from '../../../src/keys/key-policy.ts';
import { createKeyStore } from '../../stores/mongodb/key-store.ts';
import { type AuditOptions, auditEntry, currentTime, withAuditOptions } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { readKeyId } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';

const revoke = (id: string, options: AuditOptions): Promise<void> =>
  withDatabase(async (db) => {
    const key = (await loadKeyRegistry(db)).key(id);
    const now = currentTime();
    const over = inactiveReason(key, now);
    if (over !== undefined) throw new Error(`${over}: nothing was changed.`);
    await createKeyStore(db).changeKey(key, { ...key, revokedAt: now }, auditEntry(options, 'keys revoke', now));
    note(`Key ${id} is revoked: gateways refuse it within seconds.`);
  });

/** Ends a key now. It is not asked whether this is meant: who revokes a key that leaked is in a hurry. */
export const revokeCommand = (): Command =>
  withAuditOptions(
    new Command('revoke').description('end a key now, for good').argument('<key>', 'the id of the key', readKeyId),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway keys revoke 3fK9sQ2xA --reason "found in a public repository"')
    .action(revoke);
