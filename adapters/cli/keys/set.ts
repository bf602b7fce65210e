import { Command } from 'commander';
import type { KeyRecord, Scope } from '../../../src/domain/caller.ts';
import { scopeError } from '../../../src/keys/key-policy.ts';
import { createKeyStore } from '../../stores/mongodb/key-store.ts';
import { type AuditOptions, auditEntry, currentTime, withAuditOptions } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { readKeyId, readLimit, readName, readScopeList } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { checkLimit } from './limit.ts';

interface Changes {
  readonly partner?: string;
  readonly scopes?: readonly Scope[];
  readonly allowEnvelopeOverride?: boolean;
  readonly perHour?: number | 'default';
}

const changed = (key: KeyRecord, { partner, scopes, allowEnvelopeOverride, perHour }: Changes): KeyRecord => ({
  ...key,
  ...(partner !== undefined && { partner }),
  ...(scopes !== undefined && { scopes }),
  ...(allowEnvelopeOverride !== undefined && { allowEnvelopeOverride }),
  ...(perHour !== undefined && { perHour: perHour === 'default' ? undefined : perHour }),
});

const set = (id: string, options: Changes & AuditOptions): Promise<void> => {
  const { actor: _actor, reason: _reason, ...changes } = options;
  if (Object.keys(changes).length === 0) {
    throw new UsageError('Nothing to set: give --partner, --scopes, --per-hour or --[no-]allow-envelope-override.');
  }
  return withDatabase(async (db) => {
    const key = (await loadKeyRegistry(db)).key(id);
    const next = changed(key, changes);
    const refusal = scopeError(next.form, next.scopes);
    if (refusal !== undefined) throw new Error(refusal);
    checkLimit(key.form, changes.perHour);
    const differs = await createKeyStore(db).changeKey(key, next, auditEntry(options, 'keys set', currentTime()));
    note(differs ? `Key ${id} is changed: gateways follow within seconds.` : `Key ${id} was so already.`);
  });
};

/** Changes a key's policy. */
export const setCommand = (): Command =>
  withAuditOptions(
    new Command('set')
      .description('change the partner, scopes, override or quota of a key; its form is changed by "keys pin" alone')
      .argument('<key>', 'the id of the key', readKeyId)
      .option('--partner <name>', 'who uses it', readName)
      .option('--scopes <list>', 'all that it may see, separated by commas', readScopeList)
      .option('--allow-envelope-override', 'let it ask for the other form with X-Envelope')
      .option('--no-allow-envelope-override', 'let it no longer')
      .option('--per-hour <limit>', 'requests an hour, for a key of the variant form, or default', readLimit),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway keys set 3fK9sQ2xA --per-hour 500 --reason "larger contract"')
    .action(set);
