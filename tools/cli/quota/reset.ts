import type { Allowance } from '../../../src/domain/caller.ts';
import { type DefineCommand, example } from '../command.ts';
import { type QuotaCounts, withContext, withQuotas } from '../context.ts';
import { subjectAllowances } from '../policy.ts';
import { resolveSubject } from '../resolve-subject.ts';
import { auditEntry, subjectArgument, withChangeOptions } from '../shared-options.ts';
import { confirm } from '../terminal/confirm.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';

/**
 * The count before the reset. A count that cannot be read is reset too; when Redis does not answer,
 * the reset itself fails.
 */
const formatCount = async (allowance: Allowance, quotas: QuotaCounts): Promise<string> => {
  const { subject, window, limit } = allowance;
  const status = await quotas.read(allowance).catch(() => undefined);
  return `${subject} ${window}: ${status === undefined ? 'unreadable' : `${status.used} of ${limit}`}`;
};

export const resetCommand: DefineCommand = (command) =>
  withChangeOptions(
    command.argument(...subjectArgument).option('--yes', 'do not ask for confirmation'),
    'the windows, and the counts before',
  )
    .description('set the counts of the current windows to 0')
    .addHelpText(...example('artist-gateway quota reset acme --reason "our load test"'))
    .action((name, options) =>
      withContext(async ({ audit, loadRegistry, now }) => {
        const registry = await loadRegistry();
        const subject = resolveSubject(registry, name);
        const keyId = subject.kind === 'key' ? subject.key.id : undefined;
        const windows = subjectAllowances(subject, registry, now());
        const subjects = [...new Set(windows.map((one) => one.subject))].join(', ');
        await confirm(
          `Set the counts of ${subjects} to 0? The full quota is then available again.`,
          options,
        );
        const counted = await withQuotas(async (quotas) => {
          const counted = await Promise.all(
            windows.map((allowance) => formatCount(allowance, quotas)),
          );
          const change = { keyId, organizationId: subject.organization.id, before: { counted } };
          await audit.append({ ...auditEntry(options, 'quota reset', now()), ...change });
          await Promise.all(windows.map((allowance) => quotas.reset(allowance)));
          return counted;
        });
        note(`Reset to 0: ${windows.map((one) => `${one.subject} ${one.window}`).join(', ')}.`);
        if (options.json) printJson({ windows, before: counted });
      }),
    );
