import { Command } from 'commander';
import type { Organization } from '../../../src/domain/caller.ts';
import { createKeyStore } from '../../stores/mongodb/key-store.ts';
import { type AuditOptions, auditEntry, currentTime, withAuditOptions } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { readLimit, readName, whyNotOrganizationId } from '../option-parsers.ts';
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
  withDatabase(async (db) => {
    const { organizations } = await loadKeyRegistry(db);
    const before = organizations.find((one) => one.id === id);
    const name = options.name ?? before?.name;
    if (name === undefined) throw new UsageError(`There is no organization ${id} yet: give its --name to create it.`);
    const unusable = before === undefined ? whyNotOrganizationId(id) : undefined;
    if (unusable !== undefined) throw new UsageError(unusable);
    const after: Organization = {
      id,
      name,
      perMinute: limitOf(options.perMinute, before?.perMinute),
      perDay: limitOf(options.perDay, before?.perDay),
      suspendedAt: before?.suspendedAt,
    };
    const store = createKeyStore(db);
    const deed = auditEntry(options, 'organizations set', currentTime());
    if (before === undefined) {
      await store.addOrganization(after, deed);
      note(`Organization ${id} is created.`);
      return;
    }
    const differs = await store.changeOrganization(before, after, deed);
    note(differs ? `Organization ${id} is changed.` : `Organization ${id} was so already.`);
  });

/** Creates an organization, or changes one. */
export const setCommand = (): Command =>
  withAuditOptions(
    new Command('set')
      .description('create an organization, or change its name and quotas')
      .argument('<organization>', 'its id')
      .option('--name <name>', 'what it is called', readName)
      .option('--per-minute <limit>', 'requests a minute of all its keys of the current form, or default', readLimit)
      .option('--per-day <limit>', 'requests a UTC day of the same, or default', readLimit),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway organizations set acme --name "Acme Music" --per-day 5000')
    .action(set);
