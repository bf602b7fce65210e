import { Command } from 'commander';
import { createKeyStore } from '../../../adapters/mongodb/key-store.ts';
import { rotate, whyOver } from '../../key-changes.ts';
import { mintKey } from '../../new-key.ts';
import { type Account, accountable, deedOf, present } from '../accountability.ts';
import { readDuration, readKeyId, readLifetime } from '../arguments.ts';
import { instantText } from '../instants.ts';
import { loadIssuedKeys } from '../issued-keys.ts';
import { note } from '../notes.ts';
import { withDatabase } from '../open-database.ts';
import { printNewKey } from './print-new-key.ts';

interface RotateOptions extends Account {
  readonly overlap: number;
  readonly expires?: number | 'never';
  readonly json?: boolean;
}

const rotateKey = (id: string, options: RotateOptions): Promise<void> =>
  withDatabase(async (db) => {
    const key = (await loadIssuedKeys(db)).key(id);
    const now = present();
    const over = whyOver(key, now);
    if (over !== undefined) throw new Error(`${over}: issue a key instead.`);
    const made = mintKey();
    const { successor: heir, former } = rotate(key, made, { now, overlapMs: options.overlap });
    const { expires } = options;
    const successor =
      expires === undefined ? heir : { ...heir, expiresAt: expires === 'never' ? undefined : now + expires };
    const store = createKeyStore(db);
    const reason = `successor of ${id}${options.reason === undefined ? '' : `: ${options.reason}`}`;
    await store.addKey(successor, deedOf({ ...options, reason }, 'keys issue', now));
    // If this fails, the key that was in use still is, and the log tells of a successor that nobody has.
    await store.changeKey(key, former, deedOf(options, 'keys rotate', now));
    note(`Key ${successor.id} takes the place of ${id}, which is good until ${instantText(former.expiresAt)}.`);
    if (successor.expiresAt !== undefined) note(`It expires at ${instantText(successor.expiresAt)}.`);
    printNewKey(made, options);
  });

/** Replaces a key by another with the same policy. */
export const rotateCommand = (): Command =>
  accountable(
    new Command('rotate')
      .description('make a key that takes the place of another, and let that one end after an overlap')
      .argument('<key>', 'the id of the key to replace', readKeyId)
      .requiredOption('--overlap <duration>', 'how long both are good: 0s, 12h, 7d', readDuration)
      .option(
        '--expires <duration>',
        'when the successor ends (after as long a life unless given), or never',
        readLifetime,
      )
      .option('--json', 'print {id, key} instead of the key alone'),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway keys rotate 3fK9sQ2xA --overlap 7d --reason "yearly"')
    .action(rotateKey);
