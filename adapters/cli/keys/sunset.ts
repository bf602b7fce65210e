import { Option } from 'commander';
import type { Day } from '../../../src/domain/day.ts';
import { announceSunset, inactiveReason, sunsetError } from '../../../src/keys/key-policy.ts';
import { type AuditOptions, auditEntry, withAuditOptions } from '../audit-options.ts';
import { withContext } from '../context.ts';
import { readDay, readKeyId } from '../option-parsers.ts';
import type { DefineCommand } from '../program.ts';
import { note } from '../terminal/messages.ts';
import { UsageError } from '../terminal/usage-error.ts';

interface SunsetOptions extends AuditOptions {
  readonly on?: Day;
  readonly off?: true;
}

const sunset = (id: string, options: SunsetOptions): Promise<void> => {
  const { on, off } = options;
  if (on === undefined && off === undefined)
    throw new UsageError('Give the day with --on DAY, or --off to withdraw the announcement.');
  return withContext(async ({ keys, forms, loadRegistry, now }) => {
    const key = (await loadRegistry()).key(id);
    const at = now();
    const inactive = inactiveReason(key, at);
    if (inactive !== undefined) throw new Error(`${inactive}: nothing was changed.`);
    const refusal = on === undefined || on === key.sunset ? undefined : sunsetError(key, forms, on, at);
    if (refusal !== undefined) throw new Error(refusal);
    const differs = await keys.replaceKey(key, announceSunset(key, on, at), auditEntry(options, 'keys sunset', at));
    if (!differs) note(`No change: key ${id} already has these settings.`);
    else if (on === undefined) note('Sunset removed; gateways stop sending it within 5 seconds.');
    else
      note(
        `Sunset of key ${id} in the ${key.form} form: ${on}. Gateways announce it within 5 seconds; nothing is switched off on that day.`,
      );
  });
};

/** Announces when the form of a key ends for it, or withdraws the announcement. */
export const sunsetCommand: DefineCommand = (command) =>
  withAuditOptions(
    command
      .argument('<key>', 'the id of the key', readKeyId)
      .option('--on <day>', 'the form ends when this day begins (UTC)', readDay)
      .addOption(new Option('--off', 'withdraw the announcement').conflicts('on')),
  ).action(sunset);
