import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { effectDelay } from '../settings.ts';
import { auditEntry, organizationArgument, withChangeOptions } from '../shared-options.ts';
import { confirmHarm } from '../terminal/confirm.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { findOrganizationRow } from './list.ts';

const printed = 'the organization as "organizations list" does';

/** Suspends the organization with this id, whether or not its document can be read. */
export const suspendCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument(...organizationArgument)
      .option('--yes', 'do not ask for confirmation; needs --reason'),
    printed,
  )
    .description('refuse all keys of an organization, until it is resumed')
    .addHelpText(...example('artist-gateway organizations suspend acme --reason "unpaid"'))
    .action((id, options) =>
      withContext(async ({ keys, loadRegistry, now }) => {
        const access = await keys.organizationAccess(id);
        if (access === undefined)
          throw new Error(
            `There is no organization ${id}: "artist-gateway organizations list" lists the existing ones.`,
          );
        if (access.ended !== undefined)
          throw new Error(`${id} has been suspended since ${access.ended}: nothing was changed.`);
        const { name = 'name unreadable' } = access;
        const question = `Suspend organization ${id} (${name})? Gateways refuse all its keys until it is resumed.`;
        await confirmHarm(question, options);
        await access.end(auditEntry(options, 'organizations suspend', now()));
        note(`Organization ${id} is suspended: gateways refuse all its keys ${effectDelay()}.`);
        if (options.json) printJson(findOrganizationRow(id, await loadRegistry()));
      }),
    );

export const resumeCommand: DefineCommand = (command) =>
  withChangeOptions(command.argument(...organizationArgument), printed)
    .description('accept the keys of a suspended organization again')
    .addHelpText(...example('artist-gateway organizations resume acme --reason "paid"'))
    .action((id, options) =>
      withContext(async ({ keys, loadRegistry, now }) => {
        const before = (await loadRegistry()).organization(id);
        if (before.suspendedAt === undefined)
          throw new Error(`${id} is not suspended: nothing was changed.`);
        const after = { ...before, suspendedAt: undefined };
        await keys.replaceOrganization(
          before,
          after,
          auditEntry(options, 'organizations resume', now()),
        );
        note(
          `Organization ${id} is resumed: gateways accept its keys ${effectDelay()}, except expired and revoked ones.`,
        );
        if (options.json) printJson(findOrganizationRow(id, await loadRegistry()));
      }),
    );
