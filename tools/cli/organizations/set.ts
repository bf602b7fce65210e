import type { Organization } from '../../../src/domain/caller.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { limitAfter, organizationIdError, readLimit, readName } from '../option-parsers.ts';
import { auditEntry, organizationArgument, withChangeOptions } from '../shared-options.ts';
import { confirmHarm } from '../terminal/confirm.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { organizationRow } from './list.ts';

const isRefused = ({ perMinute, perDay }: Organization): boolean => perMinute === 0 || perDay === 0;

export const setCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument(...organizationArgument)
      .option('--name <name>', 'its name', readName)
      .option(
        '--per-minute <limit>',
        'requests per minute, shared by its keys of the current form, or default',
        readLimit,
      )
      .option(
        '--per-day <limit>',
        'requests per UTC day, shared by its keys of the current form, or default',
        readLimit,
      )
      .option('--yes', 'do not ask before a quota of 0; needs --reason'),
    'the organization as "organizations list" does',
  )
    .description('create an organization, or change its name and quotas')
    .addHelpText(
      ...example('artist-gateway organizations set acme --name "Acme Music" --per-day 5000'),
    )
    .action((id, options) =>
      withContext(async ({ keys, loadRegistry, now }) => {
        const registry = await loadRegistry();
        const before = registry.organizations.find((one) => one.id === id);
        if (before === undefined) registry.refuseUnreadable(id, ['organization']);
        const name = options.name ?? before?.name;
        if (name === undefined)
          throw new UsageError(`There is no organization ${id} yet: pass --name to create it.`);
        const refusal = before === undefined ? organizationIdError(id) : undefined;
        if (refusal !== undefined) throw new UsageError(refusal);
        const after: Organization = {
          id,
          name,
          perMinute: limitAfter(options.perMinute, before?.perMinute),
          perDay: limitAfter(options.perDay, before?.perDay),
          suspendedAt: before?.suspendedAt,
        };
        const isShut = before !== undefined && isRefused(after) && !isRefused(before);
        const question = `Set a quota of organization ${id} (${name}) to 0? Gateways refuse all requests that count against it.`;
        if (isShut) await confirmHarm(question, options);
        const entry = auditEntry(options, 'organizations set', now());
        if (before === undefined) {
          await keys.insertOrganization(after, entry);
          note(`Organization ${id} was created.`);
        } else {
          const differs = await keys.replaceOrganization(before, after, entry);
          note(
            differs
              ? `Organization ${id} was changed.`
              : `No change: organization ${id} already has these settings.`,
          );
        }
        if (options.json) printJson(organizationRow(after, registry));
      }),
    );
