import type { Organization } from '../../../src/domain/caller.ts';
import { type DefineCommand, example } from '../command.ts';
import { confirmHarm } from '../confirm-harm.ts';
import { type Context, withContext } from '../context.ts';
import { limitAfter, organizationIdError, readLimit, readName } from '../option-parsers.ts';
import { printReplays } from '../quota/replay.ts';
import { groupByQuota, replayGroups } from '../quota/replay-groups.ts';
import {
  auditEntry,
  organizationArgument,
  type ShowOptions,
  withChangeOptions,
} from '../shared-options.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { organizationRow } from './list.ts';

/** UTC days that `--dry-run` replays, including today. */
const replayedDays = 7;

const isRefused = ({ perMinute, perDay }: Organization): boolean => perMinute === 0 || perDay === 0;

/** Replays the requests of the keys that share the organization's quotas against its limits. */
const replayShared = async (
  context: Context,
  organization: Organization,
  options: ShowOptions,
): Promise<void> => {
  const keys = (await context.loadRegistry()).keys.filter(
    ({ organizationId }) => organizationId === organization.id,
  );
  const groups = groupByQuota(keys, organization, context.now());
  const shared = groups.filter(({ subject }) => subject === `organization:${organization.id}`);
  const reports = await replayGroups(context, organization.id, shared, replayedDays);
  printReplays(reports, `No key of ${organization.id} counts against its organization`, options);
  note('Dry run: nothing was changed.');
};

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
      .option(
        '--dry-run',
        'show what these limits would have refused in the last 7 days; changes nothing',
      )
      .option('--yes', 'do not ask before a quota of 0; needs --reason'),
    'the organization as "organizations list" does; with --dry-run the replays',
  )
    .description('create an organization, or change its name and quotas')
    .addHelpText(
      ...example('artist-gateway organizations set acme --name "Acme Music" --per-day 5000'),
    )
    .action((id, options) =>
      withContext(async (context) => {
        const { keys, loadRegistry, now } = context;
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
        if (options.dryRun) return replayShared(context, after, options);
        const isShut = before !== undefined && isRefused(after) && !isRefused(before);
        const question = `Set a quota of organization ${id} (${name}) to 0? Gateways refuse all requests that count against it.`;
        const reason = isShut ? await confirmHarm(question, options) : options.reason;
        const entry = auditEntry({ ...options, reason }, 'organizations set', now());
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
