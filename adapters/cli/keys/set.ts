import { scopes as allScopes, type KeyRecord, type Scope } from '../../../src/domain/caller.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { hourlyLimitError, scopeError } from '../../../src/keys/key-policy.ts';
import { auditEntry, type ChangeOptions, withChangeOptions } from '../audit-options.ts';
import type { DefineCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { readKeyId, readLimit, readName, readScopeList } from '../option-parsers.ts';
import { policyOf } from '../policy.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';

interface Changes {
  readonly partner?: string;
  readonly scopes?: readonly Scope[];
  readonly allowEnvelopeOverride?: boolean;
  readonly perHour?: number | 'default';
}

const applyChanges = (key: KeyRecord, { partner, scopes, allowEnvelopeOverride, perHour }: Changes): KeyRecord => ({
  ...key,
  ...(partner !== undefined && { partner }),
  ...(scopes !== undefined && { scopes }),
  ...(allowEnvelopeOverride !== undefined && { allowEnvelopeOverride }),
  ...(perHour !== undefined && { perHour: perHour === 'default' ? undefined : perHour }),
});

const set = (id: string, options: Changes & ChangeOptions): Promise<void> => {
  const { actor: _actor, reason: _reason, json, ...changes } = options;
  if (Object.keys(changes).length === 0) {
    throw new UsageError('Nothing to set: give --partner, --scopes, --per-hour or --[no-]allow-envelope-override.');
  }
  return withContext(async ({ keys, forms, allowances, loadRegistry, now }) => {
    const registry = await loadRegistry();
    const key = registry.key(id);
    const changed = applyChanges(key, changes);
    const facts = factsOfForm(forms, key.form);
    const refusal =
      scopeError(facts, changed.scopes) ?? (changes.perHour === undefined ? undefined : hourlyLimitError(facts));
    if (refusal !== undefined) throw new Error(refusal);
    const differs = await keys.replaceKey(key, changed, auditEntry(options, 'keys set', now()));
    note(
      differs
        ? `Key ${id} is changed: gateways apply it within 5 seconds.`
        : `No change: key ${id} already has these settings.`,
    );
    if (json) printJson(policyOf(changed, registry.ownerOf(changed), allowances, now()));
  });
};

/** Changes a key's policy. */
export const setCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument('<key>', 'the id of the key', readKeyId)
      .option('--partner <name>', 'the name of the partner', readName)
      .option('--scopes <list>', `all its scopes, separated by commas: ${allScopes.join(', ')}`, readScopeList)
      .option('--allow-envelope-override', 'let it request the other form with X-Envelope')
      .option('--no-allow-envelope-override', 'ignore X-Envelope for it')
      .option('--per-hour <limit>', 'requests an hour, for a key of the variant form, or default', readLimit),
  ).action(set);
