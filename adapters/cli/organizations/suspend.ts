import type { Organization } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/instants.ts';
import { type DefineCommand, example } from '../command.ts';
import { confirmHarm } from '../confirm-harm.ts';
import { withContext } from '../context.ts';
import { readSubjectName } from '../option-parsers.ts';
import { auditEntry, type ChangeOptions, withChangeOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { organizationRow } from './list.ts';

const argument = ['<organization>', 'its id', readSubjectName] as const;
const printed = 'the organization as "organizations list" does';

/** Suspends an organization or ends that, with an audit entry, and prints what was done. `confirm` throws when it stays as it is. */
const changeSuspension = (
  id: string,
  action: 'suspend' | 'resume',
  options: ChangeOptions,
  confirm: (before: Organization) => Promise<string | undefined>,
): Promise<void> =>
  withContext(async ({ keys, loadRegistry, now }) => {
    const registry = await loadRegistry();
    const before = registry.organization(id);
    const reason = await confirm(before);
    const at = now();
    const after = { ...before, suspendedAt: action === 'suspend' ? at : undefined };
    await keys.replaceOrganization(before, after, auditEntry({ ...options, reason }, `organizations ${action}`, at));
    note(
      action === 'suspend'
        ? `Organization ${id} is suspended: gateways refuse all its keys within 5 seconds.`
        : `Organization ${id} is resumed: gateways accept its keys within 5 seconds, except expired and revoked ones.`,
    );
    if (options.json) printJson(organizationRow(after, registry));
  });

export const suspendCommand: DefineCommand = (command) =>
  withChangeOptions(
    command.argument(...argument).option('--yes', 'do not ask for confirmation; needs --reason'),
    printed,
  )
    .description('refuse all keys of an organization, until it is resumed')
    .addHelpText(...example('artist-gateway organizations suspend acme --reason "unpaid"'))
    .action((id, options) =>
      changeSuspension(id, 'suspend', options, async ({ name, suspendedAt: since }) => {
        if (since !== undefined)
          throw new Error(`${id} is suspended since ${formatInstant(since)}: nothing was changed.`);
        const question = `Suspend organization ${id} (${name})? Gateways refuse all its keys until it is resumed.`;
        return confirmHarm(question, options);
      }),
    );

export const resumeCommand: DefineCommand = (command) =>
  withChangeOptions(command.argument(...argument), printed)
    .description('accept the keys of a suspended organization again')
    .addHelpText(...example('artist-gateway organizations resume acme --reason "paid"'))
    .action((id, options) =>
      changeSuspension(id, 'resume', options, async ({ suspendedAt }) => {
        if (suspendedAt === undefined) throw new Error(`${id} is not suspended: nothing was changed.`);
        return options.reason;
      }),
    );
