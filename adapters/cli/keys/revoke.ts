import { inactiveReason } from '../../../src/keys/key-policy.ts';
import { auditEntry, type ChangeOptions, withChangeOptions, withYes } from '../audit-options.ts';
import type { DefineCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { readKeyId } from '../option-parsers.ts';
import { policyOf } from '../policy.ts';
import { confirm } from '../terminal/confirm.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';

interface RevokeOptions extends ChangeOptions {
  readonly yes?: boolean;
}

const revoke = (id: string, options: RevokeOptions): Promise<void> =>
  withContext(async ({ keys, allowances, loadRegistry, now }) => {
    const registry = await loadRegistry();
    const key = registry.key(id);
    const revokedAt = now();
    const inactive = inactiveReason(key, revokedAt);
    if (inactive !== undefined) throw new Error(`${inactive}: nothing was changed.`);
    const question = `Revoke key ${id} of ${key.organizationId} (${key.partner})? This cannot be undone.`;
    await confirm(question, options);
    const revoked = { ...key, revokedAt };
    await keys.replaceKey(key, revoked, auditEntry(options, 'keys revoke', revokedAt));
    note(`Key ${id} is revoked: gateways refuse it within 5 seconds.`);
    if (options.json) printJson(policyOf(revoked, registry.ownerOf(revoked), allowances, revokedAt));
  });

/** Revokes a key now. */
export const revokeCommand: DefineCommand = (command) =>
  withChangeOptions(withYes(command.argument('<key>', 'the id of the key', readKeyId))).action(revoke);
