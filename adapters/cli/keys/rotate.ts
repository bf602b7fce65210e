import { Command } from 'commander';
import { formatInstant } from '../../../src/domain/instants.ts';
import { generateKey } from '../../../src/keys/generate-key.ts';
import { inactiveReason, rotate } from '../../../src/keys/key-policy.ts';
import { createKeyStore } from '../../stores/mongodb/key-store.ts';
import { type AuditOptions, auditEntry, currentTime, withAuditOptions } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { readDuration, readKeyId, readLifetime } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { printNewKey } from './print-new-key.ts';

interface RotateOptions extends AuditOptions {
  readonly overlap: number;
  readonly expires?: number | 'never';
  readonly json?: boolean;
}

const rotateKey = (id: string, options: RotateOptions): Promise<void> =>
  withDatabase(async (db) => {
    const key = (await loadKeyRegistry(db)).key(id);
    const now = currentTime();
    const over = inactiveReason(key, now);
    if (over !== undefined) throw new Error(`${over}: issue a key instead.`);
    const made = generateKey();
    const { successor: heir, former } = rotate(key, made, { now, overlapMs: options.overlap });
    const { expires } = options;
    const successor =
      expires === undefined ? heir : { ...heir, expiresAt: expires === 'never' ? undefined : now + expires };
    const store = createKeyStore(db);
    const reason = `successor of ${id}${options.reason === undefined ? '' : `: ${options.reason}`}`;
    await store.addKey(successor, auditEntry({ ...options, reason }, 'keys issue', now));
    // If this fails, the key that was in use still is, and the log tells of a successor that nobody has.
    await store.changeKey(key, former, auditEntry(options, 'keys rotate', now));
    note(`Key ${successor.id} takes the place of ${id}, which is good until ${formatInstant(former.expiresAt)}.`);
    if (successor.expiresAt !== undefined) note(`It expires at ${formatInstant(successor.expiresAt)}.`);
    printNewKey(made, options);
  });

/** Replaces a key by another with the same policy. */
export const rotateCommand = (): Command =>
  withAuditOptions(
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
