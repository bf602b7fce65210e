import { forms } from '../../../adapters/forms/forms.ts';
import { announceSunset, inactiveReason, sunsetError } from '../../../src/keys/key-policy.ts';
import { type DefineCommand, example } from '../command.ts';
import { readDay } from '../option-parsers.ts';
import { effectDelay } from '../settings.ts';
import { keyArgument, withChangeOptions } from '../shared-options.ts';
import { changeKey } from './change-key.ts';

export const sunsetCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument(...keyArgument)
      .requiredOption(
        '--on <day>',
        'the form ends when this day begins (UTC); never withdraws the announcement',
        (text) => (text === 'never' ? text : readDay(text)),
      ),
  )
    .description(
      'announce when the variant form ends for a key (Deprecation, Sunset, Link), or withdraw the announcement',
    )
    .addHelpText(
      ...example(
        'artist-gateway keys sunset 3fK9sQ2xA --on 2027-06-30 --reason "contract 2026/14"',
      ),
    )
    .action((id, options) => {
      const on = options.on === 'never' ? undefined : options.on;
      return changeKey(id, { ...options, action: 'keys sunset' }, (key, now) => {
        const inactive = inactiveReason(key, now);
        if (inactive !== undefined) throw new Error(`${inactive}: nothing was changed.`);
        const refusal =
          on === undefined || on === key.sunset ? undefined : sunsetError(key, forms, on, now);
        if (refusal !== undefined) throw new Error(refusal);
        const announced = `Sunset of key ${id} in the ${key.form} form: ${on}. Gateways announce it ${effectDelay()}; nothing is switched off on that day.`;
        const removed = `Sunset removed; gateways stop sending it ${effectDelay()}.`;
        return {
          changed: announceSunset(key, on, now),
          done: [on === undefined ? removed : announced],
        };
      });
    });
