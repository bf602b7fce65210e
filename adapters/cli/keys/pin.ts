import { Option } from 'commander';
import { isComparedForm } from '../../../src/crosswalk/forms.ts';
import type { FormName, KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { pinError, pinRemarks } from '../../../src/keys/pinning.ts';
import { formNames } from '../../forms/forms.ts';
import { auditEntry, type ChangeOptions, withChangeOptions } from '../audit-options.ts';
import type { DefineCommand } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { readKeyId } from '../option-parsers.ts';
import { formatWindows, policyOf } from '../policy.ts';
import { printReadiness } from '../readiness/print.ts';
import { loadReadiness } from '../readiness/readiness.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';

interface PinOptions extends ChangeOptions {
  readonly form: FormName;
  readonly dryRun?: true;
}

interface Pin {
  readonly key: KeyRecord;
  readonly organization: Organization;
  readonly form: FormName;
  readonly now: number;
}

/** Days of usage in the report of a dry run. */
const days = 30;

const dryRun = async (context: Context, { key, organization, form }: Pin, json = false): Promise<void> => {
  if (!isComparedForm(key.form) || !isComparedForm(form)) {
    throw new Error(`The crosswalk does not relate the ${key.form} form to the ${form} form: there is no report.`);
  }
  const move = { from: key.form, to: form };
  const question = { organization, keys: [key], move, days, now: context.usageNow() };
  const readiness = await loadReadiness(context, question);
  if (json) printJson(readiness);
  else printReadiness(readiness);
  note(`Nothing was changed: without --dry-run, key ${key.id} moves to the ${form} form.`);
};

const move = async (
  { keys, allowances, forms }: Context,
  { key, organization, form, now }: Pin,
  options: ChangeOptions,
): Promise<void> => {
  const moved = { ...key, form };
  await keys.replaceKey(key, moved, auditEntry(options, 'keys pin', now));
  note(`Key ${key.id} is moved to the ${form} form: gateways answer in it within 5 seconds.`);
  note(`From now on: ${formatWindows(policyOf(moved, organization, allowances, now))}.`);
  for (const remark of pinRemarks(key, factsOfForm(forms, form), now)) note(remark);
  if (options.json) printJson(policyOf(moved, organization, allowances, now));
};

const pin = (id: string, options: PinOptions): Promise<void> => {
  const { form, reason } = options;
  if (options.dryRun === undefined && reason === undefined)
    throw new UsageError('Give the reason with --reason TEXT, for the audit log.');
  return withContext(async (context) => {
    const registry = await context.loadRegistry();
    const key = registry.key(id);
    const now = context.now();
    const refusal = pinError(key, factsOfForm(context.forms, form), now);
    if (refusal !== undefined) throw new Error(refusal);
    if (key.form === form) {
      note(`No change: key ${id} already has these settings.`);
      if (options.json) printJson(policyOf(key, registry.ownerOf(key), context.allowances, now));
      return;
    }
    const pinned = { key, organization: registry.organization(key.organizationId), form, now };
    await (options.dryRun ? dryRun(context, pinned, options.json) : move(context, pinned, options));
  });
};

/** Moves a key to another form, and back. */
export const pinCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument('<key>', 'the id of the key', readKeyId)
      .addOption(
        new Option('--form <form>', 'the form of the responses to this key from then on')
          .choices(formNames)
          .makeOptionMandatory(),
      )
      .option('--dry-run', 'report what the partner must change and how its quota would hold; changes nothing'),
  ).action(pin);
