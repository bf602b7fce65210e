import { formatInstant } from '../../../src/domain/instants.ts';
import { auditEntry, type ChangeOptions, withChangeOptions } from '../audit-options.ts';
import type { DefineCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { readSubjectName } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { organizationRow } from './list.ts';

const suspend = (id: string, options: ChangeOptions): Promise<void> =>
  withContext(async ({ keys, loadRegistry, now }) => {
    const registry = await loadRegistry();
    const before = registry.organization(id);
    if (before.suspendedAt !== undefined) {
      throw new Error(`${id} is suspended since ${formatInstant(before.suspendedAt)}: nothing was changed.`);
    }
    const suspendedAt = now();
    const entry = auditEntry(options, 'organizations suspend', suspendedAt);
    const after = { ...before, suspendedAt };
    await keys.replaceOrganization(before, after, entry);
    note(`Organization ${id} is suspended: gateways refuse all its keys within 5 seconds.`);
    if (options.json) printJson(organizationRow(after, registry));
  });

const resume = (id: string, options: ChangeOptions): Promise<void> =>
  withContext(async ({ keys, loadRegistry, now }) => {
    const registry = await loadRegistry();
    const before = registry.organization(id);
    if (before.suspendedAt === undefined) throw new Error(`${id} is not suspended: nothing was changed.`);
    const entry = auditEntry(options, 'organizations resume', now());
    const after = { ...before, suspendedAt: undefined };
    await keys.replaceOrganization(before, after, entry);
    note(`Organization ${id} is resumed: gateways accept its keys within 5 seconds, except expired and revoked ones.`);
    if (options.json) printJson(organizationRow(after, registry));
  });

const defineFor =
  (action: typeof suspend): DefineCommand =>
  (command) =>
    withChangeOptions(
      command.argument('<organization>', 'its id', readSubjectName),
      'the organization as "organizations list" does',
    ).action(action);

/** Refuses all keys of an organization, until it is resumed. */
export const suspendCommand = defineFor(suspend);

/** Accepts the keys of a suspended organization again. */
export const resumeCommand = defineFor(resume);
