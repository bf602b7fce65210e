import type { Organization } from '../../../src/domain/caller.ts';
import { type AuditOptions, auditEntry, withAuditOptions } from '../audit-options.ts';
import { withContext } from '../context.ts';
import { organizationIdError, readLimit, readName, readSubjectName } from '../option-parsers.ts';
import type { DefineCommand } from '../program.ts';
import { note } from '../terminal/messages.ts';
import { UsageError } from '../terminal/usage-error.ts';

interface SetOptions extends AuditOptions {
  readonly name?: string;
  readonly perMinute?: number | 'default';
  readonly perDay?: number | 'default';
}

const limitOf = (given: number | 'default' | undefined, before: number | undefined): number | undefined =>
  given === undefined ? before : given === 'default' ? undefined : given;

const set = (id: string, options: SetOptions): Promise<void> =>
  withContext(async ({ keys, loadRegistry, now }) => {
    const { organizations } = await loadRegistry();
    const before = organizations.find((one) => one.id === id);
    const name = options.name ?? before?.name;
    if (name === undefined) throw new UsageError(`There is no organization ${id} yet: give its --name to create it.`);
    const refusal = before === undefined ? organizationIdError(id) : undefined;
    if (refusal !== undefined) throw new UsageError(refusal);
    const after: Organization = {
      id,
      name,
      perMinute: limitOf(options.perMinute, before?.perMinute),
      perDay: limitOf(options.perDay, before?.perDay),
      suspendedAt: before?.suspendedAt,
    };
    const entry = auditEntry(options, 'organizations set', now());
    if (before === undefined) {
      await keys.insertOrganization(after, entry);
      note(`Organization ${id} is created.`);
      return;
    }
    const differs = await keys.replaceOrganization(before, after, entry);
    note(differs ? `Organization ${id} is changed.` : `No change: organization ${id} already has these settings.`);
  });

/** Creates an organization, or changes one. */
export const setCommand: DefineCommand = (command) =>
  withAuditOptions(
    command
      .argument('<organization>', 'its id', readSubjectName)
      .option('--name <name>', 'its name', readName)
      .option(
        '--per-minute <limit>',
        'requests a minute, shared by its keys of the current form, or default',
        readLimit,
      )
      .option('--per-day <limit>', 'requests a UTC day, shared by its keys of the current form, or default', readLimit),
  ).action(set);
