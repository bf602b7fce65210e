import { formNames, forms } from '../../../adapters/forms/forms.ts';
import type { FormName, KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { pinError, pinRemarks } from '../../../src/keys/pinning.ts';
import { isComparedForm } from '../../crosswalk/forms.ts';
import { type DefineCommand, example } from '../command.ts';
import type { Context } from '../context.ts';
import { readKeyId } from '../option-parsers.ts';
import { formatWindows, policyOf } from '../policy.ts';
import { printReadiness } from '../readiness/print.ts';
import { loadReadiness } from '../readiness/readiness.ts';
import { effectDelay } from '../settings.ts';
import { withChangeOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { changeKey } from './change-key.ts';

/** Days of usage in the report of a dry run. */
const days = 30;

/** Reports what moving the key to the form would mean for the partner. */
const reportMove = async (
  context: Context,
  key: KeyRecord,
  {
    organization,
    form,
    json,
  }: { readonly organization: Organization; readonly form: FormName; readonly json: boolean },
): Promise<void> => {
  if (!isComparedForm(key.form) || !isComparedForm(form)) {
    throw new Error(
      `The crosswalk does not relate the ${key.form} form to the ${form} form: there is no report.`,
    );
  }
  const question = {
    organization,
    keys: [key],
    move: { from: key.form, to: form },
    days,
    now: context.usageNow(),
  };
  const { readiness } = await loadReadiness(context, question);
  if (json) printJson(readiness);
  else printReadiness(readiness);
  note(`Nothing was changed: without --dry-run, key ${key.id} moves to the ${form} form.`);
};

export const pinCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument('<key>', 'the id of the key', readKeyId)
      .addOption(
        command
          .createOption('--form <form>', 'the form of the responses to this key from then on')
          .choices(formNames)
          .makeOptionMandatory(),
      )
      .option(
        '--dry-run',
        'report what the partner must change and how its quota would hold; changes nothing',
      ),
  )
    .description('move a key to the other form, or back; its other settings stay')
    .addHelpText(
      ...example('artist-gateway keys pin 3fK9sQ2xA --form current --reason "moved, ticket 77"'),
    )
    .action((id, options) => {
      const { form, reason, dryRun = false, json = false } = options;
      if (!dryRun && reason === undefined)
        throw new UsageError('Give the reason with --reason TEXT, for the audit log.');
      return changeKey(id, { ...options, action: 'keys pin' }, async (key, now, context) => {
        const facts = factsOfForm(forms, form);
        const refusal = pinError(key, facts, now);
        if (refusal !== undefined) throw new Error(refusal);
        if (key.form === form) return { changed: key, done: [] };
        const organization = context.registry.organization(key.organizationId);
        if (dryRun) return void (await reportMove(context, key, { organization, form, json }));
        const changed = { ...key, form };
        const limits = formatWindows(policyOf(changed, context.registry, now));
        const moved = `Key ${id} is moved to the ${form} form: gateways answer in it ${effectDelay()}.`;
        return { changed, done: [moved, `New limits: ${limits}.`, ...pinRemarks(key, facts, now)] };
      });
    });
