import { forms } from '../../../adapters/forms/forms.ts';
import { scopes as allScopes, type KeyRecord } from '../../../src/domain/caller.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { hourlyLimitError, inactiveReason, scopeError } from '../../../src/keys/key-policy.ts';
import { trialScopeError } from '../../../src/keys/pinning.ts';
import { type DefineCommand, example } from '../command.ts';
import { limitAfter, readLimit, readName, readScopeList } from '../option-parsers.ts';
import { effectDelay } from '../settings.ts';
import { keyArgument, withChangeOptions } from '../shared-options.ts';
import { confirmHarm } from '../terminal/confirm.ts';
import { UsageError } from '../terminal/messages.ts';
import { changeKey } from './change-key.ts';

export const setCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument(...keyArgument)
      .option('--partner <name>', 'the name of the partner', readName)
      .option(
        '--scopes <list>',
        `all its scopes, comma-separated: ${allScopes.join(', ')}`,
        readScopeList,
      )
      .option(
        '--allow-envelope-override',
        'allow the key to request the other form with X-Envelope',
      )
      .option('--no-allow-envelope-override', 'ignore its X-Envelope header')
      .option(
        '--per-hour <limit>',
        'requests per hour, only for the variant form, or default',
        readLimit,
      )
      .option('--yes', 'do not ask before a quota of 0; needs --reason'),
  )
    .description('change the partner, scopes, override or quota of a key (its form: "keys pin")')
    .addHelpText(
      ...example('artist-gateway keys set 3fK9sQ2xA --per-hour 500 --reason "larger contract"'),
    )
    .action((id, { actor, reason, json, yes, perHour, ...changes }) => {
      if (perHour === undefined && Object.keys(changes).length === 0) {
        throw new UsageError(
          'Nothing to set: give --partner, --scopes, --per-hour or --[no-]allow-envelope-override.',
        );
      }
      return changeKey(id, { actor, reason, json, action: 'keys set' }, async (key, now) => {
        const inactive = inactiveReason(key, now);
        if (inactive !== undefined) throw new Error(`${inactive}: nothing was changed.`);
        const limit = limitAfter(perHour, key.perHour);
        const changed: KeyRecord = { ...key, ...changes, perHour: limit };
        const facts = factsOfForm(forms, key.form);
        const refusal =
          scopeError(facts, changed.scopes) ??
          (changes.scopes === undefined ? undefined : trialScopeError(changed, forms, now)) ??
          (perHour === undefined ? undefined : hourlyLimitError(facts));
        if (refusal !== undefined) throw new Error(refusal);
        const done = [`Key ${id} was changed: gateways apply it ${effectDelay()}.`];
        const question = `Set the quota of key ${id} of ${key.organizationId} (${key.partner}) to 0? Gateways refuse its requests.`;
        if (limit === 0 && key.perHour !== 0) await confirmHarm(question, { yes, reason });
        return { changed, done };
      });
    });
