import { formatInstant } from '../../../src/domain/quantities.ts';
import { inactiveReason } from '../../../src/keys/key-policy.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { policyOf, unreadablePolicies } from '../policy.ts';
import { effectDelay } from '../settings.ts';
import { auditEntry, keyArgument, withChangeOptions } from '../shared-options.ts';
import { confirmHarm } from '../terminal/confirm.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';

/**
 * Revokes a key, even if its document is unreadable or, by this machine's clock, the key has
 * expired.
 */
export const revokeCommand: DefineCommand = (command) =>
  withChangeOptions(
    command.argument(...keyArgument).option('--yes', 'do not ask for confirmation; needs --reason'),
  )
    .description('revoke a key now; this cannot be undone')
    .addHelpText(
      ...example('artist-gateway keys revoke 3fK9sQ2xA --reason "found in a public repository"'),
    )
    .action((id, options) =>
      withContext(async ({ keys, loadRegistry, now }) => {
        const access = await keys.keyAccess(id);
        if (access === undefined)
          throw new Error(
            `There is no key ${id}: "artist-gateway keys list" lists the existing ones.`,
          );
        if (access.ended !== undefined)
          throw new Error(`Key ${id} has been revoked since ${access.ended}: nothing was changed.`);
        const { name = 'unreadable partner', organizationId = 'an unreadable organization' } =
          access;
        const question = `Revoke key ${id} of ${organizationId} (${name})? This cannot be undone.`;
        await confirmHarm(question, options);
        await access.end(auditEntry(options, 'keys revoke', now()));
        note(`Key ${id} is revoked: gateways refuse it ${effectDelay()}.`);
        const registry = await loadRegistry();
        for (const previous of registry.keys)
          if (previous.replacedBy === id && inactiveReason(previous, now()) === undefined)
            note(
              `The previous key ${previous.id} is valid until ${formatInstant(previous.expiresAt)}, without an expiry alert. Issue a new key before then.`,
            );
        if (!options.json) return;
        const key = registry.keys.find((one) => one.id === id);
        const unreadable = unreadablePolicies(registry).find((one) => one.id === id);
        printJson(key === undefined ? (unreadable ?? { id }) : policyOf(key, registry, now()));
      }),
    );
