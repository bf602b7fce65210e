import { formatInstant } from '../../../src/domain/instants.ts';
import { type AuditOptions, auditEntry, withAuditOptions } from '../audit-options.ts';
import { withContext } from '../context.ts';
import { readSubjectName } from '../option-parsers.ts';
import type { DefineCommand } from '../program.ts';
import { note } from '../terminal/messages.ts';

const suspend = (id: string, options: AuditOptions): Promise<void> =>
  withContext(async ({ keys, loadRegistry, now }) => {
    const before = (await loadRegistry()).organization(id);
    if (before.suspendedAt !== undefined) {
      throw new Error(`${id} is suspended since ${formatInstant(before.suspendedAt)}: nothing was changed.`);
    }
    const suspendedAt = now();
    const entry = auditEntry(options, 'organizations suspend', suspendedAt);
    await keys.replaceOrganization(before, { ...before, suspendedAt }, entry);
    note(`Organization ${id} is suspended: gateways refuse all its keys within 5 seconds.`);
  });

const resume = (id: string, options: AuditOptions): Promise<void> =>
  withContext(async ({ keys, loadRegistry, now }) => {
    const before = (await loadRegistry()).organization(id);
    if (before.suspendedAt === undefined) throw new Error(`${id} is not suspended: nothing was changed.`);
    const entry = auditEntry(options, 'organizations resume', now());
    await keys.replaceOrganization(before, { ...before, suspendedAt: undefined }, entry);
    note(`Organization ${id} is resumed: gateways accept its keys within 5 seconds, except expired and revoked ones.`);
  });

const defineFor =
  (action: typeof suspend): DefineCommand =>
  (command) =>
    withAuditOptions(command.argument('<organization>', 'its id', readSubjectName)).action(action);

/** Refuses all keys of an organization, until it is resumed. */
export const suspendCommand = defineFor(suspend);

/** Accepts the keys of a suspended organization again. */
export const resumeCommand = defineFor(resume);
