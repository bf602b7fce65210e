import { Command } from 'commander';
import { createKeyStore } from '../../../adapters/mongodb/key-store.ts';
import { whyOver } from '../../key-changes.ts';
import { type Account, accountable, deedOf, present } from '../accountability.ts';
import { readKeyId } from '../arguments.ts';
import { loadIssuedKeys } from '../issued-keys.ts';
import { note } from '../notes.ts';
import { withDatabase } from '../open-database.ts';

const revoke = (id: string, options: Account): Promise<void> =>
  withDatabase(async (db) => {
    const key = (await loadIssuedKeys(db)).key(id);
    const now = present();
    const over = whyOver(key, now);
    if (over !== undefined) throw new Error(`${over}: nothing was changed.`);
    await createKeyStore(db).changeKey(key, { ...key, revokedAt: now }, deedOf(options, 'keys revoke', now));
    note(`Key ${id} is revoked: gateways refuse it within seconds.`);
  });

/** Ends a key now. It is not asked whether this is meant: who revokes a key that leaked is in a hurry. */
export const revokeCommand = (): Command =>
  accountable(
    new Command('revoke').description('end a key now, for good').argument('<key>', 'the id of the key', readKeyId),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway keys revoke 3fK9sQ2xA --reason "found in a public repository"')
    .action(revoke);
