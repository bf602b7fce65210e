import type { Organization } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/instants.ts';
import { type DefineCommand, example } from '../command.ts';
import { confirmHarm } from '../confirm-harm.ts';
import { withContext } from '../context.ts';
import { readSubjectName } from '../option-parsers.ts';
import { auditEntry, withChangeOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { organizationRow } from './list.ts';

/** A command that suspends or resumes an organization. */
interface Change {
  readonly action: string;
  readonly description: string;
  /** Why the organization stays as it is. */
  readonly refusalOf: (before: Organization) => string | undefined;
  readonly suspendedAtOf: (now: number) => number | undefined;
  /** What is asked before. */
  readonly question?: (before: Organization) => string;
  readonly done: string;
  readonly reason: string;
}

const define =
  ({ action, description, refusalOf, suspendedAtOf, question, done, reason }: Change): DefineCommand =>
  (command) =>
    withChangeOptions(
      command
        .argument('<organization>', 'its id', readSubjectName)
        .addOption(
          command.createOption('--yes', 'do not ask for confirmation; needs --reason').hideHelp(question === undefined),
        ),
      'the organization as "organizations list" does',
    )
      .description(description)
      .addHelpText(...example(`artist-gateway organizations ${action} acme --reason "${reason}"`))
      .action((id, options) =>
        withContext(async ({ keys, loadRegistry, now }) => {
          const registry = await loadRegistry();
          const before = registry.organization(id);
          const refusal = refusalOf(before);
          if (refusal !== undefined) throw new Error(`${id} is ${refusal}: nothing was changed.`);
          const given = question === undefined ? options.reason : await confirmHarm(question(before), options);
          const at = now();
          const after = { ...before, suspendedAt: suspendedAtOf(at) };
          const entry = auditEntry({ ...options, reason: given }, `organizations ${action}`, at);
          await keys.replaceOrganization(before, after, entry);
          note(`Organization ${id} is ${done}`);
          if (options.json) printJson(organizationRow(after, registry));
        }),
      );

export const suspendCommand = define({
  action: 'suspend',
  description: 'refuse all keys of an organization, until it is resumed',
  refusalOf: ({ suspendedAt: since }) => (since === undefined ? undefined : `suspended since ${formatInstant(since)}`),
  suspendedAtOf: (now) => now,
  question: ({ id, name }) => `Suspend organization ${id} (${name})? Gateways refuse all its keys until it is resumed.`,
  done: 'suspended: gateways refuse all its keys within 5 seconds.',
  reason: 'unpaid',
});

export const resumeCommand = define({
  action: 'resume',
  description: 'accept the keys of a suspended organization again',
  refusalOf: ({ suspendedAt }) => (suspendedAt === undefined ? 'not suspended' : undefined),
  suspendedAtOf: () => undefined,
  done: 'resumed: gateways accept its keys within 5 seconds, except expired and revoked ones.',
  reason: 'paid',
});
