import { Command } from 'commander';
import { createKeyStore } from '../../../adapters/mongodb/key-store.ts';
import { type Account, accountable, deedOf, present } from '../accountability.ts';
import { instantText } from '../instants.ts';
import { loadIssuedKeys } from '../issued-keys.ts';
import { note } from '../notes.ts';
import { withDatabase } from '../open-database.ts';

const suspend = (id: string, options: Account): Promise<void> =>
  withDatabase(async (db) => {
    const before = (await loadIssuedKeys(db)).organization(id);
    if (before.suspendedAt !== undefined) {
      throw new Error(`${id} is suspended since ${instantText(before.suspendedAt)}: nothing was changed.`);
    }
    const now = present();
    const deed = deedOf(options, 'organizations suspend', now);
    await createKeyStore(db).changeOrganization(before, { ...before, suspendedAt: now }, deed);
    note(`Organization ${id} is suspended: gateways refuse all its keys within seconds.`);
  });

const resume = (id: string, options: Account): Promise<void> =>
  withDatabase(async (db) => {
    const before = (await loadIssuedKeys(db)).organization(id);
    if (before.suspendedAt === undefined) throw new Error(`${id} is not suspended: nothing was changed.`);
    const deed = deedOf(options, 'organizations resume', present());
    await createKeyStore(db).changeOrganization(before, { ...before, suspendedAt: undefined }, deed);
    note(`Organization ${id} is resumed: its keys are good again within seconds, but for those that ended.`);
  });

/** Refuses all keys of an organization, until it is resumed. */
export const suspendCommand = (): Command =>
  accountable(
    new Command('suspend')
      .description('refuse all keys of an organization, until it is resumed')
      .argument('<organization>', 'its id'),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway organizations suspend acme --reason "unpaid"')
    .action(suspend);

/** Makes the keys of a suspended organization good again. */
export const resumeCommand = (): Command =>
  accountable(
    new Command('resume')
      .description('make the keys of a suspended organization good again')
      .argument('<organization>', 'its id'),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway organizations resume acme --reason "paid"')
    .action(resume);
