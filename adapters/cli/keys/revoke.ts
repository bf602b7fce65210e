import { inactiveReason } from '../../../src/keys/key-policy.ts';
import { type AuditOptions, auditEntry, withAuditOptions } from '../audit-options.ts';
import { withContext } from '../context.ts';
import { readKeyId } from '../option-parsers.ts';
import type { DefineCommand } from '../program.ts';
import { note } from '../terminal/messages.ts';

const revoke = (id: string, options: AuditOptions): Promise<void> =>
  withContext(async ({ keys, loadRegistry, now }) => {
    const key = (await loadRegistry()).key(id);
    const revokedAt = now();
    const inactive = inactiveReason(key, revokedAt);
    if (inactive !== undefined) throw new Error(`${inactive}: nothing was changed.`);
    await keys.replaceKey(key, { ...key, revokedAt }, auditEntry(options, 'keys revoke', revokedAt));
    note(`Key ${id} is revoked: gateways refuse it within 5 seconds.`);
  });

/** Revokes a key now, without confirmation: a leaked key must end at once. */
export const revokeCommand: DefineCommand = (command) =>
  withAuditOptions(command.argument('<key>', 'the id of the key', readKeyId)).action(revoke);
