import { Command } from 'commander';
import { createKeyStore } from '../../../adapters/mongodb/key-store.ts';
import type { Organization } from '../../caller.ts';
import { type Account, accountable, deedOf, present } from '../accountability.ts';
import { readLimit, readName, whyNotOrganizationId } from '../arguments.ts';
import { loadIssuedKeys } from '../issued-keys.ts';
import { Misuse } from '../misuse.ts';
import { note } from '../notes.ts';
import { withDatabase } from '../open-database.ts';

interface SetOptions extends Account {
  readonly name?: string;
  readonly perMinute?: number | 'default';
  readonly perDay?: number | 'default';
}

const limitOf = (given: number | 'default' | undefined, before: number | undefined): number | undefined =>
  given === undefined ? before : given === 'default' ? undefined : given;

const set = (id: string, options: SetOptions): Promise<void> =>
  withDatabase(async (db) => {
    const { organizations } = await loadIssuedKeys(db);
    const before = organizations.find((one) => one.id === id);
    const name = options.name ?? before?.name;
    if (name === undefined) throw new Misuse(`There is no organization ${id} yet: give its --name to create it.`);
    const unusable = before === undefined ? whyNotOrganizationId(id) : undefined;
    if (unusable !== undefined) throw new Misuse(unusable);
    const after: Organization = {
      id,
      name,
      perMinute: limitOf(options.perMinute, before?.perMinute),
      perDay: limitOf(options.perDay, before?.perDay),
      suspendedAt: before?.suspendedAt,
    };
    const store = createKeyStore(db);
    const deed = deedOf(options, 'organizations set', present());
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
  accountable(
    new Command('set')
      .description('create an organization, or change its name and quotas')
      .argument('<organization>', 'its id')
      .option('--name <name>', 'what it is called', readName)
      .option('--per-minute <limit>', 'requests a minute of all its keys of the current form, or default', readLimit)
      .option('--per-day <limit>', 'requests a UTC day of the same, or default', readLimit),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway organizations set acme --name "Acme Music" --per-day 5000')
    .action(set);
