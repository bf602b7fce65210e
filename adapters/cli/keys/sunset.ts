import { Option } from 'commander';
import type { Day } from '../../../src/domain/day.ts';
import { announceSunset, inactiveReason, sunsetError } from '../../../src/keys/key-policy.ts';
import { auditEntry, type ChangeOptions, withChangeOptions } from '../audit-options.ts';
import type { DefineCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { readDay, readKeyId } from '../option-parsers.ts';
import { policyOf } from '../policy.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';

interface SunsetOptions extends ChangeOptions {
  readonly on?: Day;
  readonly off?: true;
}

const sunset = (id: string, options: SunsetOptions): Promise<void> => {
  const { on, off } = options;
  if (on === undefined && off === undefined)
    throw new UsageError('Give the day with --on DAY, or --off to withdraw the announcement.');
  return withContext(async ({ keys, forms, allowances, loadRegistry, now }) => {
    const registry = await loadRegistry();
    const key = registry.key(id);
    const at = now();
    const inactive = inactiveReason(key, at);
    if (inactive !== undefined) throw new Error(`${inactive}: nothing was changed.`);
    const refusal = on === undefined || on === key.sunset ? undefined : sunsetError(key, forms, on, at);
    if (refusal !== undefined) throw new Error(refusal);
    const announced = announceSunset(key, on, at);
    const differs = await keys.replaceKey(key, announced, auditEntry(options, 'keys sunset', at));
    if (!differs) note(`No change: key ${id} already has these settings.`);
    else if (on === undefined) note('Sunset removed; gateways stop sending it within 5 seconds.');
    else
      note(
        `Sunset of key ${id} in the ${key.form} form: ${on}. Gateways announce it within 5 seconds; nothing is switched off on that day.`,
      );
    if (options.json) printJson(policyOf(announced, registry.ownerOf(key), allowances, at));
  });
};

/** Announces when the form of a key ends for it, or withdraws the announcement. */
export const sunsetCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument('<key>', 'the id of the key', readKeyId)
      .option('--on <day>', 'the form ends when this day begins (UTC)', readDay)
      .addOption(new Option('--off', 'withdraw the announcement').conflicts('on')),
  ).action(sunset);
