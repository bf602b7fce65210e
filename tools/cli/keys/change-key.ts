import type { KeyRecord } from '../../../src/domain/caller.ts';
import { inactiveReason } from '../../../src/keys/key-policy.ts';
import { type Context, withContext } from '../context.ts';
import { policyOf } from '../policy.ts';
import type { KeyRegistry } from '../resolve-subject.ts';
import { auditEntry, type ChangeOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';

export interface KeyChange {
  readonly changed: KeyRecord;
  readonly done: readonly string[];
}

/** Says that a change of a rotated key does not concern its successor, while that one is active. */
const noteSuccessor = ({ replacedBy }: KeyRecord, { keys }: KeyRegistry, now: number): void => {
  const successor = keys.find(({ id }) => id === replacedBy);
  if (successor !== undefined && inactiveReason(successor, now) === undefined)
    note(
      `Key ${successor.id} replaces it and is not changed: change it too where it needs the same.`,
    );
};

/**
 * Finds a key, changes it as `plan` says, with an audit entry, and prints what was done; with
 * `--json` the key too. `plan` gets the time in epoch milliseconds.
 */
export const changeKey = (
  id: string,
  { action, ...options }: ChangeOptions & { readonly action: string },
  plan: (
    key: KeyRecord,
    now: number,
    context: Context & { readonly registry: KeyRegistry },
  ) => KeyChange | Promise<KeyChange>,
): Promise<void> =>
  withContext(async (context) => {
    const registry = await context.loadRegistry();
    const key = registry.key(id);
    const now = context.now();
    const { changed, done } = await plan(key, now, { ...context, registry });
    const differs = await context.keys.replaceKey(
      key,
      changed,
      auditEntry(options, action, context.now()),
    );
    for (const line of differs ? done : [`No change: key ${id} already has these settings.`])
      note(line);
    if (differs) noteSuccessor(key, registry, now);
    if (options.json) printJson(policyOf(changed, registry, now));
  });
