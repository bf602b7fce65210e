import type { Organization } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/instants.ts';
import type { DefineCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { readSubjectName } from '../option-parsers.ts';
import { auditEntry, withChangeOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { organizationRow } from './list.ts';

/** A command that suspends or resumes an organization. */
const define =
  (
    action: string,
    /** Says why the organization stays as it is. */
    refusalOf: (before: Organization) => string | undefined,
    suspendedAtOf: (now: number) => number | undefined,
    done: string,
  ): DefineCommand =>
  (command) =>
    withChangeOptions(
      command.argument('<organization>', 'its id', readSubjectName),
      'the organization as "organizations list" does',
    ).action((id, options) =>
      withContext(async ({ keys, loadRegistry, now }) => {
        const registry = await loadRegistry();
        const before = registry.organization(id);
        const refusal = refusalOf(before);
        if (refusal !== undefined) throw new Error(`${id} is ${refusal}: nothing was changed.`);
        const at = now();
        const after = { ...before, suspendedAt: suspendedAtOf(at) };
        await keys.replaceOrganization(before, after, auditEntry(options, `organizations ${action}`, at));
        note(`Organization ${id} is ${done}`);
        if (options.json) printJson(organizationRow(after, registry));
      }),
    );

export const suspendCommand = define(
  'suspend',
  ({ suspendedAt }) => (suspendedAt === undefined ? undefined : `suspended since ${formatInstant(suspendedAt)}`),
  (now) => now,
  'suspended: gateways refuse all its keys within 5 seconds.',
);

export const resumeCommand = define(
  'resume',
  ({ suspendedAt }) => (suspendedAt === undefined ? 'not suspended' : undefined),
  () => undefined,
  'resumed: gateways accept its keys within 5 seconds, except expired and revoked ones.',
);
